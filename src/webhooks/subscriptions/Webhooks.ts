import { isDeepStrictEqual } from "node:util"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId, NoSuchAccount } from "#src/domain/Account.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { SecretAbandoned } from "#src/secrets/Secrets.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { makeAnswers } from "../delivery/answers.ts"
import { type TargetRefused, Targets } from "../delivery/Targets.ts"
import type { Webhook, WebhookEventType, WebhookId } from "../model.ts"
import { webhooksOverlap } from "../settings.ts"
import { makeCreate, seedFor } from "./create.ts"
import { type CreatedWebhook, digestOfRotation, newSecret, type WantedWebhook } from "./creation.ts"
import { disableWebhook } from "./disableWebhook.ts"
import type { GivenFilters } from "./filterFields.ts"
import { checkFilters, type FiltersRefused } from "./filters.ts"
import { NoSuchWebhook, type RequestKeyReused, SecretLost, type TooManyWebhooks } from "./refusals.ts"
import { raiseRevision } from "./revision.ts"
import { makeSeal } from "./seal.ts"
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
export type NotDone = NoSuchWebhook | SecretLost | RequestKeyReused | SecretAbandoned | Refused | TxError
type Changed = Effect.Effect<Webhook, NoSuchWebhook | SecretLost | TxError>

/** Above what any plan has. */
const mostOfAccount = 10_000

/** Whether pollers have to learn of a change: they match with nothing else, and wait while they are told. */
const concernsPollers = (old: Webhook, { eventTypes, filters, active }: Webhook) =>
  active !== old.active ||
  !isDeepStrictEqual({ eventTypes, filters }, { eventTypes: old.eventTypes, filters: old.filters })

/** The webhooks of accounts. What pollers read of them has a revision, by which they learn of changes. */
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
    /** With the same key again within a day, the answer is that of the first time and nothing is replaced. */
    readonly rotate: (
      account: AccountId,
      id: WebhookId,
      requestKey?: string | undefined,
    ) => Effect.Effect<RotatedSecret, NoSuchWebhook | RequestKeyReused | SecretAbandoned | TxError>
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
  const answers = yield* makeAnswers
  const { pepper } = yield* Secrets
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const found = Effect.fnUntraced(function* (client: typeof sql, id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.find(client, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  const held = Effect.fnUntraced(function* (id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.hold(sql, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  /**
   * Writes what `change` makes of a webhook, while nobody else changes it. The revision is raised before anything else or
   * not at all, so whether that is needed is looked at first; undefined where it is and was not done.
   */
  const changedWith = <E>(
    revised: boolean,
    id: WebhookId,
    account: AccountId | undefined,
    change: (webhook: Webhook) => Effect.Effect<Webhook, E>,
  ) =>
    tx(
      Effect.gen(function* () {
        const revision = revised ? yield* raiseRevision(sql) : null
        const old = yield* held(id, account)
        const wanted = yield* change(old)
        if (isDeepStrictEqual(wanted, old)) return old
        if (!revised && concernsPollers(old, wanted)) return undefined
        const webhook = { ...wanted, updatedAt: yield* now }
        yield* WebhookStore.update(sql, webhook, revision)
        if (revised) yield* seedFor(sql, webhook)
        if (webhook.url !== old.url || (webhook.active && !old.active)) yield* WebhookStore.forgetFailures(sql, id)
        return webhook
      }),
    )

  const changed = Effect.fnUntraced(function* <E>(
    id: WebhookId,
    account: AccountId | undefined,
    change: (webhook: Webhook) => Effect.Effect<Webhook, E>,
  ) {
    const webhook = (yield* changedWith(false, id, account, change)) ?? (yield* changedWith(true, id, account, change))
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

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
    // Before its history goes, which takes long: whoever gives up meanwhile has a webhook that sends nothing.
    yield* changed(id, account, (old) => Effect.succeed({ ...old, active: false }))
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

  const rotate = Effect.fnUntraced(function* (account: AccountId, id: WebhookId, key: string | undefined) {
    yield* held(id, account)
    const request = { account, key, digest: digestOfRotation(pepper, id) }
    const before = yield* answers.before<{ readonly secret: string; readonly until: number }>(request)
    if (before !== undefined) return { secret: Redacted.make(before.secret), previousUntil: new Date(before.until) }
    const fresh = newSecret()
    const at = yield* now
    const until = new Date(at.getTime() + Duration.toMillis(config.get(webhooksOverlap)))
    yield* WebhookStore.replaceSecret(sql, id, { secret: yield* seal(fresh), until, now: at })
    yield* answers.remember(request, id, { secret: Redacted.value(fresh), until: until.getTime() })
    return { secret: fresh, previousUntil: until }
  })

  return Webhooks.of({
    create,
    list: (account) => WebhookStore.list(reads, account, mostOfAccount),
    get: (account, id) => found(reads, id, account),
    update,
    remove,
    rotate: (account, id, requestKey) => tx(rotate(account, id, requestKey)),
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
