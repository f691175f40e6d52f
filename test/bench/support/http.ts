/** Response bodies of every server under measurement, by path. */
export type Bodies = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface HttpSubject {
  /** Listens on a free port of 127.0.0.1 and returns it. */
  readonly listen: (bodies: Bodies) => Promise<number>
}
