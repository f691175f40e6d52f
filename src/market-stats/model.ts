/** Windows of time up to the newest block; `all` is everything that the ledger counts. */
export const windows = ["1h", "24h", "7d", "30d", "all"] as const
export type FigureWindow = (typeof windows)[number]

/** Lengths of the windows that have a beginning, in seconds. */
export const windowSeconds = [3_600, 86_400, 604_800, 2_592_000] as const

const columnsOf = <Name extends string>(name: Name) => windows.map((window) => `${name}_${window}` as const)

/** Columns of counts: dollars of 10⁻⁶, trades, and wallets that traded. */
export const countColumns = [...columnsOf("usd"), ...columnsOf("trades"), ...columnsOf("traders")] as const

/** In the order of their numbers in the figures. */
export const statuses = ["open", "closed", "resolved"] as const
export type MarketStatus = (typeof statuses)[number]

const kinds = ["market", "event"] as const
export type Kind = (typeof kinds)[number]

/** Events have negative numbers. */
export const kindOf = (scope: number): Kind => (scope < 0 ? "event" : "market")
