/** An answer over HTTP. */
export interface Answer {
  readonly status: number
  readonly text: string
}
