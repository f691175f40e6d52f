/** An answer over HTTP. */
export interface RecordedAnswer {
  readonly status: number
  readonly text: string
}
