import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../../model.ts"

/** The price that a webhook was sent last for a token, or that the first change is compared with. */
export interface LastPrice {
  readonly webhook: WebhookId
  readonly token: number
  readonly price: bigint
}

export type LastPriceKey = Pick<LastPrice, "webhook" | "token">

export const last = (sql: SqlClient, keys: ReadonlyArray<LastPriceKey>) => sql<LastPrice>`
  select p.webhook, p.token, p.price
  from unnest(${pgArray("text", keys, ({ webhook }) => webhook)}, ${pgArray("int4", keys, ({ token }) => token)})
    u(webhook, token)
  join webhook_price p using (webhook, token)`

const upsert = bulkInsert<LastPrice>({
  table: "webhook_price",
  columns: { webhook: "text", token: "int4", price: "int8" },
  suffix: "on conflict (webhook, token) do update set price = excluded.price",
})

export const save = (sql: SqlClient, prices: ReadonlyArray<LastPrice>) => Effect.asVoid(upsert(sql, prices))
