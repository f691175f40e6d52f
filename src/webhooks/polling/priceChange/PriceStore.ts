import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Price } from "#src/domain/amounts.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { unnest } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../../model.ts"

/** The price that a webhook was sent last for a token, or that the first change is compared with. */
export interface LastPrice {
  readonly webhook: WebhookId
  readonly token: number
  readonly price: Price<bigint>
}

export type LastPriceKey = Pick<LastPrice, "webhook" | "token">

export const last = (sql: SqlClient, keys: ReadonlyArray<LastPriceKey>) => {
  const rows = unnest(sql, "u", keys, { webhook: ["text", (key) => key.webhook], token: ["int4", (key) => key.token] })
  return sql<LastPrice>`select p.webhook, p.token, p.price from ${rows} join webhook_price p using (webhook, token)`
}

const upsert = bulkInsert<LastPrice>({
  table: "webhook_price",
  columns: { webhook: "text", token: "int4", price: "int8" },
  suffix: "on conflict (webhook, token) do update set price = excluded.price",
})

export const save = (sql: SqlClient, prices: ReadonlyArray<LastPrice>) => Effect.asVoid(upsert(sql, prices))
