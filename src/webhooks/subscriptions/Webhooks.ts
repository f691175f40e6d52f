import { isDeepStrictEqual } from "node:util"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"
import type { NoSuchAccount } from "#src/keys/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { type SecretAbandoned, Secrets } from "#src/secrets/Secrets.ts"
import {
  type Confirmations,
  type ConfirmationsRefused,
  cannotChange,
  checkLevel,
  confirmationsOf,
  levelOf,
} from "../confirmationLevels.ts"
import { type TargetRefused, Targets } from "../delivery/Targets.ts"
import type { Webhook, WebhookEventType, WebhookId } from "../model.ts"
import { webhooksConfirmations, webhooksOverlap } from "../settings.ts"
import {
  type CreatedWebhook,
  digestOfRotation,
  followFor,
  makeCreate,
  makeSeed,
  newSecret,
  type WebhookRequest,
} from "./create.ts"
import { NoSuchWebhook, type RequestKeyReused, SecretLost, type TooManyWebhooks } from "./errors.ts"
import type { GivenFilters } from "./filterFields.ts"
import { checkFilters, type FiltersRefused } from "./filters.ts"
import { makeIdempotency } from "./idempotency.ts"
import { raiseRevision } from "./revision.ts"
import { makeSeal } from "./SecretBox.ts"
import * as WebhookStore from "./WebhookStore.ts"

/** Absent fields stay unchanged. */
export interface WebhookChanges {
  readonly url?: string | undefined
  readonly eventTypes?: ReadonlyArray<WebhookEventType> | undefined
  readonly filters?: GivenFilters | undefined
  /** Only those that it has. */
  readonly confirmations?: Confirmations | undefined
  readonly active?: boolean | undefined
  readonly description?: string | null | undefined
}

export interface RotatedSecret {
  readonly secret: Redacted.Redacted<string>
  /** Until then deliveries are also signed with the previous secret. */
  readonly previousUntil: Date
}

type Refused = TargetRefused | FiltersRefused | ConfirmationsRefused
/** Errors of creating a webhook. */
export type NotCreated = NoSuchAccount | TooManyWebhooks | RequestKeyReused | SecretAbandoned | Refused | TxError
/** Errors of other operations. */
export type NotDone = NoSuchWebhook | SecretLost | RequestKeyReused | SecretAbandoned | Refused | TxError
type Changed = Effect.Effect<Webhook, NoSuchWebhook | SecretLost | TxError>

/** More than any plan allows. */
const maxPerAccount = 10_000

/** Whether a change concerns pollers: they read nothing else, and wait while it is committed. */
const concernsPollers = (old: Webhook, { eventTypes, filters, active }: Webhook) =>
  active !== old.active ||
  !isDeepStrictEqual({ eventTypes, filters }, { eventTypes: old.eventTypes, filters: old.filters })

/** Webhooks of accounts. What pollers read has a revision, by which they notice changes. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly create: (account: AccountId, request: WebhookRequest) => Effect.Effect<CreatedWebhook, NotCreated>
    /** Newest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<Webhook>, SqlError>
    readonly get: (account: AccountId, id: WebhookId) => Effect.Effect<Webhook, NoSuchWebhook | SqlError>
    /** New types or filters apply from now on, not to past events. */
    readonly update: (
      account: AccountId,
      id: WebhookId,
      changes: WebhookChanges,
    ) => Effect.Effect<Webhook, NoSuchWebhook | SecretLost | Refused | TxError>
    readonly remove: (account: AccountId, id: WebhookId) => Effect.Effect<void, NoSuchWebhook | TxError>
    /** Repeating a request key within a day returns the first answer and replaces nothing. */
    readonly rotate: (
      account: AccountId,
      id: WebhookId,
      requestKey?: string | undefined,
    ) => Effect.Effect<RotatedSecret, NoSuchWebhook | RequestKeyReused | SecretAbandoned | TxError>
    /** Stops sending, for any account, with a reason; events are held. */
    readonly disable: (id: WebhookId, reason: string) => Changed
    readonly enable: (id: WebhookId) => Changed
    /** Of all accounts, newest first. */
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
  const { sql, reads, tx } = yield* Postgres
  const targets = yield* Targets
  const create = yield* makeCreate
  const seal = yield* makeSeal
  const seed = yield* makeSeed
  const idempotency = yield* makeIdempotency
  const { pepper } = yield* Secrets
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const found = Effect.fnUntraced(function* (client: typeof sql, id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.find(client, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  const locked = Effect.fnUntraced(function* (id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.findForUpdate(sql, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  /**
   * Applies `change` to a locked webhook. The revision is raised before anything else or not at all, so the need for it
   * is checked first; undefined if it is needed but was not raised.
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
        const old = yield* locked(id, account)
        const changedWebhook = yield* change(old)
        if (isDeepStrictEqual(changedWebhook, old)) return old
        if (!revised && concernsPollers(old, changedWebhook)) return undefined
        const webhook = { ...changedWebhook, updatedAt: yield* now }
        yield* WebhookStore.update(sql, webhook, revision)
        if (webhook.url !== old.url || (webhook.active && !old.active)) yield* WebhookStore.forgetFailures(sql, id)
        return revised ? yield* followFor(sql, webhook) : webhook
      }),
    )

  const changed = Effect.fnUntraced(function* <E>(
    id: WebhookId,
    account: AccountId | undefined,
    change: (webhook: Webhook) => Effect.Effect<Webhook, E>,
  ) {
    const webhook = (yield* changedWith(false, id, account, change)) ?? (yield* changedWith(true, id, account, change))
    if (webhook === undefined) return yield* new NoSuchWebhook({ id })
    yield* seed(webhook)
    return webhook
  })

  const resumed = { active: true, disabledAt: null, disabledReason: null }

  const update = Effect.fn("Webhooks.update")(function* (account: AccountId, id: WebhookId, changes: WebhookChanges) {
    yield* found(reads, id, account)
    const target = changes.url === undefined ? undefined : yield* targets.check(changes.url)
    return yield* changed(id, account, (old) =>
      Effect.gen(function* () {
        const { eventTypes = old.eventTypes, description = old.description, active = old.active } = changes
        const changesFilters = changes.eventTypes !== undefined || changes.filters !== undefined
        const given = { ...(changes.filters ?? old.filters) }
        if (active && !old.hasSecret) return yield* new SecretLost()
        const standard = config.get(webhooksConfirmations)
        const wanted = changes.confirmations ?? confirmationsOf(old.level, standard)
        const level = yield* Effect.fromResult(levelOf(wanted, standard))
        if (level !== old.level) return yield* Effect.fromResult(cannotChange)
        if (changes.eventTypes !== undefined) yield* Effect.fromResult(checkLevel(eventTypes, level, standard))
        const filters = changesFilters ? yield* Effect.fromResult(checkFilters(eventTypes, given)) : old.filters
        // `since` stays: pollers never read back, and entries that they have not read yet must not be lost.
        const url = target ?? old.url
        return { ...old, ...(active ? resumed : { active }), url, eventTypes, filters, description }
      }),
    )
  })

  const remove = Effect.fn("Webhooks.remove")(function* (account: AccountId, id: WebhookId) {
    // First, because deleting its history takes long: if the caller gives up meanwhile, it sends nothing.
    yield* changed(id, account, (old) => Effect.succeed({ ...old, active: false }))
    yield* WebhookStore.dropHistory(sql, id)
    yield* tx(
      Effect.gen(function* () {
        const revision = yield* raiseRevision(sql)
        yield* found(sql, id, account)
        // Rows written meanwhile, and before the webhook itself: recording an attempt also locks the delivery first.
        yield* WebhookStore.dropHistory(sql, id)
        yield* WebhookStore.remove(sql, id, revision, yield* now)
      }),
    )
  })

  const rotate = Effect.fn("Webhooks.rotate")(function* (account: AccountId, id: WebhookId, key: string | undefined) {
    yield* locked(id, account)
    const request = { account, key, digest: digestOfRotation(pepper, id) }
    const before = yield* idempotency.find<{ readonly secret: string; readonly until: number }>(request)
    if (before !== undefined) return { secret: Redacted.make(before.secret), previousUntil: new Date(before.until) }
    const secret = newSecret()
    const at = yield* now
    const until = new Date(at.getTime() + Duration.toMillis(config.get(webhooksOverlap)))
    yield* WebhookStore.replaceSecret(sql, id, { secret: yield* seal(secret), until, now: at })
    yield* idempotency.save(request, id, { secret: Redacted.value(secret), until: until.getTime() })
    return { secret, previousUntil: until }
  })

  return Webhooks.of({
    create: Effect.fn("Webhooks.create")(create),
    list: Effect.fn("Webhooks.list")((account) => WebhookStore.list(reads, account, maxPerAccount)),
    get: Effect.fn("Webhooks.get")((account, id) => found(reads, id, account)),
    update,
    remove,
    rotate: (account, id, requestKey) => tx(rotate(account, id, requestKey)),
    disable: Effect.fn("Webhooks.disable")(function* (id, reason) {
      yield* tx(WebhookStore.disable(sql, id, { reason, at: yield* now }))
      return yield* found(sql, id)
    }),
    enable: Effect.fn("Webhooks.enable")((id) =>
      changed(id, undefined, (old) =>
        old.hasSecret ? Effect.succeed({ ...old, ...resumed }) : Effect.fail(new SecretLost()),
      ),
    ),
    listAll: Effect.fn("Webhooks.listAll")((limit) => WebhookStore.list(reads, undefined, limit)),
    findAny: Effect.fn("Webhooks.findAny")((id) => found(reads, id)),
  })
})
