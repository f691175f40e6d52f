import { Clock, Context, Duration, Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId, NoSuchAccount, SecretAbandoned } from "#src/keys/model.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import type { TxError } from "#src/platform/sqlFailure.ts"
import { makeCreate, seedFor } from "./create.ts"
import { type CreatedWebhook, newSecret, type WantedWebhook } from "./creation.ts"
import { type TargetRefused, Targets } from "./delivery/Targets.ts"
import { disableWebhook } from "./disableWebhook.ts"
import type { GivenFilters } from "./filterFields.ts"
import { checkFilters, type FiltersRefused } from "./filters.ts"
import type { Webhook, WebhookEventType, WebhookId } from "./model.ts"
import { NoSuchWebhook, type RequestKeyReused, SecretLost, type TooManyWebhooks } from "./refusals.ts"
import { raiseRevision } from "./revision.ts"
import { makeSeal } from "./seal.ts"
import { webhooksOverlap } from "./settings.ts"
import * as WebhookStore from "./WebhookStore.ts"

/** What is not named stays as it is. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly eventTypes?: ReadonlyArray<WebhookEventType> | undefined
  readonly filters?: GivenFilters | undefined
  readonly active?: boolean | undefined
  readonly description?: string | null | undefined
}

export interface RotatedSecret {
  readonly secret: Redacted.Redacted<string>
  /** Until then the one before is signed with as well. */
  readonly previousUntil: Date
}

type Refused = TargetRefused | FiltersRefused
/** Why a webhook was not made. */
export type NotCreated = NoSuchAccount | TooManyWebhooks | RequestKeyReused | SecretAbandoned | Refused | TxError
/** Why nothing was done with one. */
export type NotDone = NoSuchWebhook | SecretLost | SecretAbandoned | Refused | TxError
type Changed = Effect.Effect<Webhook, NoSuchWebhook | SecretLost | TxError>

/** Above what any plan has. */
const mostOfAccount = 10_000

/** The webhooks of accounts. Every change has a revision of its own, by which pollers learn of it. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly create: (account: AccountId, wanted: WantedWebhook) => Effect.Effect<CreatedWebhook, NotCreated>
    /** The newest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Webhook>, SqlError>
    readonly get: (account: AccountId, id: WebhookId) => Effect.Effect<Webhook, NoSuchWebhook | SqlError>
    /** Other types or filters count from now on: what happened before is not looked at again. */
    readonly update: (
      account: AccountId,
      id: WebhookId,
      changes: WebhookChanges,
    ) => Effect.Effect<Webhook, NoSuchWebhook | SecretLost | Refused | TxError>
    readonly remove: (account: AccountId, id: WebhookId) => Effect.Effect<void, NoSuchWebhook | TxError>
    readonly rotate: (
      account: AccountId,
      id: WebhookId,
    ) => Effect.Effect<RotatedSecret, NoSuchWebhook | SecretAbandoned | TxError>
    /** Stops sending, whoever's it is, and says why; events are kept. */
    readonly disable: (id: WebhookId, reason: string) => Changed
    readonly enable: (id: WebhookId) => Changed
    /** Of all accounts, the newest first. */
    readonly listAll: (limit: number) => Effect.Effect<ReadonlyArray<Webhook>, SqlError>
    readonly findAny: (id: WebhookId) => Effect.Effect<Webhook, NoSuchWebhook | SqlError>
  }
>()("presage/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const postgres = yield* Postgres
  const { sql, reads, tx } = postgres
  const targets = yield* Targets
  const create = yield* makeCreate
  const seal = yield* makeSeal
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const found = Effect.fnUntraced(function* (client: typeof sql, id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.find(client, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  /** Writes what `change` makes of a webhook, while nobody else changes it. */
  const changed = <E>(
    id: WebhookId,
    account: AccountId | undefined,
    change: (webhook: Webhook, at: Date) => Effect.Effect<Webhook, E>,
  ) =>
    tx(
      Effect.gen(function* () {
        const revision = yield* raiseRevision(sql)
        const at = yield* now
        const old = yield* found(sql, id, account)
        const webhook = { ...(yield* change(old, at)), updatedAt: at }
        yield* WebhookStore.update(sql, webhook, revision)
        yield* seedFor(sql, webhook)
        if (webhook.active && !old.active) yield* WebhookStore.forgetFailures(sql, id)
        return webhook
      }),
    )

  const resumed = { active: true, disabledAt: null, disabledReason: null }

  const update = Effect.fnUntraced(function* (account: AccountId, id: WebhookId, changes: WebhookChanges) {
    yield* found(reads, id, account)
    const target = changes.url === undefined ? undefined : yield* targets.check(changes.url)
    return yield* changed(id, account, (old) =>
      Effect.gen(function* () {
        const { eventTypes = old.eventTypes, description = old.description, active = old.active } = changes
        const asksAnew = changes.eventTypes !== undefined || changes.filters !== undefined
        const given = { ...(changes.filters ?? old.filters) }
        if (active && !old.hasSecret) return yield* new SecretLost()
        const filters = asksAnew ? yield* Effect.fromResult(checkFilters(eventTypes, given)) : old.filters
        // It goes on where it was: the pollers never look back, and what they have not looked at yet must not be lost.
        const url = target ?? old.url
        return { ...old, ...(active ? resumed : { active }), url, eventTypes, filters, description }
      }),
    )
  })

  const remove = Effect.fnUntraced(function* (account: AccountId, id: WebhookId) {
    yield* found(reads, id, account)
    yield* WebhookStore.dropHistory(sql, id)
    yield* tx(
      Effect.gen(function* () {
        const revision = yield* raiseRevision(sql)
        yield* found(sql, id, account)
        // What came meanwhile, and before the webhook itself: whoever records an attempt holds its delivery first too.
        yield* WebhookStore.dropHistory(sql, id)
        yield* WebhookStore.remove(sql, id, revision, yield* now)
      }),
    )
  })

  const rotate = Effect.fnUntraced(function* (account: AccountId, id: WebhookId) {
    const revision = yield* raiseRevision(sql)
    yield* found(sql, id, account)
    const fresh = newSecret()
    const at = yield* now
    const until = new Date(at.getTime() + Duration.toMillis(config.get(webhooksOverlap)))
    yield* WebhookStore.replaceSecret(sql, id, { secret: yield* seal(fresh), until, now: at, revision })
    return { secret: fresh, previousUntil: until }
  })

  return Webhooks.of({
    create,
    list: (account) => WebhookStore.list(reads, account, mostOfAccount),
    get: (account, id) => found(reads, id, account),
    update,
    remove,
    rotate: (account, id) => tx(rotate(account, id)),
    disable: Effect.fnUntraced(function* (id, reason) {
      yield* disableWebhook(postgres, id, reason, yield* Clock.currentTimeMillis)
      return yield* found(sql, id)
    }),
    enable: (id) =>
      changed(id, undefined, (old) =>
        old.hasSecret ? Effect.succeed({ ...old, ...resumed }) : Effect.fail(new SecretLost()),
      ),
    listAll: (limit) => WebhookStore.list(reads, undefined, limit),
    findAny: (id) => found(reads, id),
  })
})
