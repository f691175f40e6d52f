import { Effect } from "effect"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../../model.ts"

/** What a webhook was told last of a token, or is compared with first. */
export interface LastPrice {
  readonly webhook: WebhookId
  readonly token: number
  readonly price: bigint
}

const upsert = bulkInsert<LastPrice>({
  table: "webhook_price",
  columns: { webhook: "text", token: "int4", price: "int8" },
  suffix: "on conflict (webhook, token) do update set price = excluded.price",
})

export const priceStore = ({ sql, reads }: Postgres["Service"]) => ({
  last: (wanted: ReadonlyArray<Pick<LastPrice, "webhook" | "token">>) => {
    const webhooks = pgArray(
      "text",
      wanted.map(({ webhook }) => webhook),
    )
    const tokens = pgArray(
      "int4",
      wanted.map(({ token }) => token),
    )
    return reads<LastPrice>`
      select p.webhook, p.token, p.price from unnest(${webhooks}, ${tokens}) u(webhook, token)
      join webhook_price p using (webhook, token)`
  },
  keep: (prices: ReadonlyArray<LastPrice>) => Effect.asVoid(upsert(sql, prices)),
})
