/** What every server under measurement answers. */
export const body = { symbol: "BTC", price: "97123.45" }

export interface AccessSubject {
  /** `/keyed` and `/open` on a free port, and a key whose account is not stopped by its limit. */
  readonly listen: () => Promise<{ readonly port: number; readonly key: string }>
}
