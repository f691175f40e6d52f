export type Params = ReadonlyArray<readonly [string, string]>

/** Most ids in one request: the length of the URL and the size of a page are limited. */
export const maxKeys = 100

/** Selects events; by default in ascending order of id. */
export interface EventQuery {
  readonly closed?: boolean
  readonly order?: "startDate" | "endDate" | "closedTime"
  readonly ascending?: boolean
  readonly ids?: ReadonlyArray<number>
  readonly slugs?: ReadonlyArray<string>
  readonly series?: number
  /** Events of a game; the venue finds games by number only. */
  readonly game?: string
  /** Only events whose end date is later. */
  readonly endsAfter?: number
}

const decimal = (hex: string | number) => BigInt(`0x${hex}`).toString()

/** Conditions and tokens are hexadecimal digits. Positions are the tokens of newer markets. */
export const marketKeys = {
  id: { name: "id", write: String },
  token: { name: "clob_token_ids", write: decimal },
  position: { name: "position_ids", write: decimal },
  condition: { name: "condition_ids", write: (hex: string | number) => `0x${hex}` },
} as const
export type MarketKey = keyof typeof marketKeys

export const param = (name: string, value: string | number | boolean | undefined): Params =>
  value === undefined ? [] : [[name, String(value)]]
export const listParam = (name: string, values: ReadonlyArray<string | number> = []): Params =>
  values.map((value) => [name, String(value)])

export const eventParams = ({ closed, order, ascending, ids, slugs, series, game, endsAfter }: EventQuery): Params => [
  ...param("closed", closed),
  ...param("order", order),
  ...param("ascending", ascending),
  ...listParam("id", ids),
  ...listParam("slug", slugs),
  ...param("series_id", series),
  ...param("game_id", game),
  ...param("end_date_min", endsAfter === undefined ? undefined : new Date(endsAfter).toISOString()),
]
