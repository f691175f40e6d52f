/** The response body of every server under measurement. */
export const body = { symbol: "BTC", price: "97123.45" }

export interface AccessSubject {
  /** Serves `/keyed` and `/open` on a free port; returns a key with a limit that the bench never reaches. */
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}
