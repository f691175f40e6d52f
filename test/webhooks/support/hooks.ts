import { Effect, Layer } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Resolver } from "#src/webhooks/delivery/Resolver.ts"
import { Targets } from "#src/webhooks/delivery/Targets.ts"
import type { WebhookEventType } from "#src/webhooks/model.ts"
import type { GivenFilters } from "#src/webhooks/subscriptions/filterFields.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { ledger } from "#test/ledger/support/following.ts"

/** Services to create webhooks and events on any stores. The setting that allows http must be on. */
export const making = Layer.merge(Webhooks.layer, ledger).pipe(
  Layer.provideMerge(SecretBox.layer),
  Layer.provide(Targets.layer),
  Layer.provide(Resolver.layer),
)

/** Settings that a process and the test share, so that webhooks can reach the test. */
export const insecure = {
  environment: { WEBHOOKS_ALLOW_INSECURE: "true" },
  flags: { "webhooks.allow-insecure": "true" },
}

export const openAccount = Effect.fnUntraced(function* (plan: Plan = "enterprise") {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ id: AccountId }>`insert into account (name, plan) values ('test', ${plan}) returning id`
  return row?.id ?? (yield* Effect.die("no account"))
})

/** A webhook created through the service. */
export const hook = (
  account: AccountId,
  url: string,
  eventTypes: ReadonlyArray<WebhookEventType> = ["trade"],
  filters: GivenFilters = {},
) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    webhooks.create(account, { url, eventTypes, filters, description: null, secret: undefined, requestKey: undefined }),
  )

/** Deliveries by status. */
export const deliveriesByStatus = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ status: string; count: number }>`
    select status, count(*)::int as count from webhook_delivery group by status order by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
})
