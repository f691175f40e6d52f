import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { WebhookId } from "#src/webhooks/model.ts"
import type { Watcher } from "#src/webhooks/polling/model.ts"
import { raiseRevision } from "#src/webhooks/subscriptions/revision.ts"
import { SecretBox } from "#src/webhooks/subscriptions/SecretBox.ts"
import { type HookRequest, secret } from "../support/webhooks.ts"

/** The limit of the largest plan. */
const perAccount = 500

/** Webhooks for events from now on, spread over enough accounts. */
export const makeHooks = Effect.fnUntraced(function* (
  requests: ReadonlyArray<HookRequest>,
  maxPerAccount = perAccount,
) {
  const { sql, tx } = yield* Postgres
  const box = yield* SecretBox
  const sealed = box.seal(Redacted.make(secret))
  return yield* Effect.gen(function* () {
    const revision = yield* raiseRevision(sql)
    const accounts = yield* sql<{ id: AccountId }>`
      insert into account (name, plan)
      select 'bench', 'enterprise' from generate_series(1, ${Math.ceil(requests.length / maxPerAccount)}::int) returning id`
    const hooks = requests.map(({ filters }, i): Watcher => {
      const { id: account } = accounts[i % accounts.length] ?? { id: "" as AccountId }
      const id = WebhookId.make(`wh_${randomBytes(6).toString("hex")}`)
      return { id, account, filters, since: 0n, active: true }
    })
    const text = <A>(all: ReadonlyArray<A>, of: (one: A) => string) => pgArray("text", all.map(of))
    yield* sql`
      insert into webhook (id, account_id, url, event_types, filters, secret, since_seq, revision, created_at, updated_at)
      select u.id, u.account::uuid, u.url, array[u.type], u.filters::jsonb, ${sealed},
        (select coalesce(max(seq), 0) from event_log), ${revision}, now(), now()
      from unnest(${text(hooks, ({ id }) => id)}, ${text(hooks, ({ account }) => account)},
        ${text(requests, ({ url }) => url)}, ${text(requests, ({ type }) => type)},
        ${text(requests, ({ filters }) => JSON.stringify(filters))}) u(id, account, url, type, filters)`
    return hooks
  }).pipe(tx)
})
