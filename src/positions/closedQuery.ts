export const closedSorts = ["REALIZEDPNL", "AVGPRICE", "PRICE", "TITLE", "TIMESTAMP"] as const
export type ClosedSort = (typeof closedSorts)[number]

export interface ClosedQuery {
  readonly wallet: number
  readonly limit: number
  readonly offset: number
  readonly sortBy: ClosedSort
  readonly direction: "ASC" | "DESC"
  readonly market: string | undefined
  readonly title: string | undefined
}
