import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type AccountId, NoSuchAccount } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { makeAnswers } from "../delivery/answers.ts"
import { Targets } from "../delivery/Targets.ts"
import type { Filters, Webhook } from "../model.ts"
import { seedWatched } from "../polling/positions/seed.ts"
import { type CreatedWebhook, createdOf, digestOfWanted, newId, newSecret, type WantedWebhook } from "./creation.ts"
import { checkFilters } from "./filters.ts"
import { TooManyWebhooks } from "./refusals.ts"
import { raiseRevision } from "./revision.ts"
import { makeSeal } from "./seal.ts"
import * as WebhookStore from "./WebhookStore.ts"

/** For a webhook that is new or asks for something else: positions that are there already are no news. */
export const seedFor = (sql: SqlClient, { eventTypes, filters }: Webhook) =>
  eventTypes.includes("position_status_change") ? seedWatched(sql, filters.wallet_addresses ?? []) : Effect.void

interface Checked {
  readonly wanted: WantedWebhook
  readonly url: string
  readonly filters: Filters
  readonly digest: Buffer
}

/** Makes webhooks: each once, and no more than the plan has. */
export const makeCreate = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const { pepper } = yield* Secrets
  const answers = yield* makeAnswers
  const targets = yield* Targets
  const seal = yield* makeSeal

  const checkRoom = Effect.fnUntraced(function* (id: AccountId) {
    const account = yield* KeyStore.lockAccount(sql, id)
    if (account === undefined) return yield* new NoSuchAccount({ id })
    const limit = allowances[account.plan].webhooks
    if ((yield* WebhookStore.count(sql, id)) >= limit) return yield* new TooManyWebhooks({ plan: account.plan, limit })
  })

  const insert = Effect.fnUntraced(function* (account: AccountId, { wanted, url, filters, digest }: Checked) {
    const revision = yield* raiseRevision(sql)
    const request = { account, key: wanted.requestKey, digest }
    const before = yield* answers.before<CreatedWebhook>(request)
    if (before !== undefined) return before
    yield* checkRoom(account)
    const { eventTypes, description, secret = newSecret() } = wanted
    const at = new Date(yield* Clock.currentTimeMillis)
    const webhook: Webhook = {
      id: newId(),
      account,
      url,
      eventTypes,
      filters,
      description,
      active: true,
      disabledAt: null,
      disabledReason: null,
      hasSecret: true,
      since: yield* WebhookStore.logHead(sql),
      createdAt: at,
      updatedAt: at,
    }
    yield* WebhookStore.insert(sql, webhook, yield* seal(secret), revision)
    yield* seedFor(sql, webhook)
    const created = createdOf(webhook, secret)
    yield* answers.remember(request, webhook.id, created)
    return created
  })

  return Effect.fnUntraced(function* (account: AccountId, wanted: WantedWebhook) {
    const filters = yield* Effect.fromResult(checkFilters(wanted.eventTypes, wanted.filters))
    const digest = digestOfWanted(pepper, wanted, filters)
    // Before the target is looked at: what it is now is not what the first request asked.
    const before = yield* answers.before<CreatedWebhook>({ account, key: wanted.requestKey, digest })
    if (before !== undefined) return before
    const url = yield* targets.check(wanted.url)
    return yield* tx(insert(account, { wanted, url, filters, digest }))
  })
})
