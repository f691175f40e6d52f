import { isDeepStrictEqual } from "node:util"
import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { allowances } from "#src/domain/Plan.ts"
import { fingerprintOf } from "#src/keys/digest.ts"
import * as FingerprintStore from "#src/keys/FingerprintStore.ts"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { type AccountId, NoSuchAccount, SecretAbandoned } from "#src/keys/model.ts"
import { Secrets } from "#src/keys/Secrets.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import type { TxError } from "#src/platform/sqlFailure.ts"
import { type CreatedWebhook, createdOf, digestOfWanted, newId, newSecret, type WantedWebhook } from "./creation.ts"
import { type TargetRefused, Targets } from "./delivery/Targets.ts"
import { disableWebhook } from "./disableWebhook.ts"
import type { GivenFilters } from "./filterFields.ts"
import { checkFilters, type FiltersRefused } from "./filters.ts"
import type { Filters, Webhook, WebhookEventType, WebhookId } from "./model.ts"
import { seedWatched } from "./polling/positions/seed.ts"
import { NoSuchWebhook, RequestKeyReused, SecretLost, TooManyWebhooks } from "./refusals.ts"
import { raiseRevision } from "./revision.ts"
import { SecretBox } from "./SecretBox.ts"
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

/** How long a request is known again by its key. */
const requestKeyLife = Duration.hours(24)

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
  const { pepper, encryptionKey } = yield* Secrets
  const box = yield* SecretBox
  const targets = yield* Targets
  const fingerprint = fingerprintOf(pepper, encryptionKey)
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

  const found = Effect.fnUntraced(function* (client: typeof sql, id: WebhookId, account?: AccountId) {
    const webhook = yield* WebhookStore.find(client, id, account)
    return webhook ?? (yield* new NoSuchWebhook({ id }))
  })

  /** Sealed so that it can be opened again: not with a secret that was given up meanwhile. */
  const seal = Effect.fnUntraced(function* (text: Redacted.Redacted<string>) {
    if (!(yield* FingerprintStore.isOurs(sql, fingerprint))) return yield* new SecretAbandoned()
    return box.seal(text)
  })

  /** What is answered to a request that was answered before. */
  const answeredBefore = Effect.fnUntraced(function* (account: AccountId, key: string | undefined, digest: Buffer) {
    if (key === undefined) return undefined
    const after = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(requestKeyLife))
    const creation = yield* WebhookStore.findCreation(sql, account, key, after)
    if (creation === undefined) return undefined
    if (!digest.equals(creation.digest)) return yield* new RequestKeyReused()
    return JSON.parse(Redacted.value(box.open(creation.answer))) as CreatedWebhook
  })

  const roomIn = Effect.fnUntraced(function* (id: AccountId) {
    const account = yield* KeyStore.lockAccount(sql, id)
    if (account === undefined) return yield* new NoSuchAccount({ id })
    const limit = allowances[account.plan].webhooks
    if ((yield* WebhookStore.count(sql, id)) >= limit) return yield* new TooManyWebhooks({ plan: account.plan, limit })
  })

  /** Positions that are there already are no news. */
  const seed = ({ eventTypes, filters }: Webhook) =>
    eventTypes.includes("position_status_change") ? seedWatched(sql, filters.wallet_addresses ?? []) : Effect.void

  const insert = Effect.fnUntraced(function* (
    account: AccountId,
    { wanted, url, filters, digest }: { wanted: WantedWebhook; url: string; filters: Filters; digest: Buffer },
  ) {
    const revision = yield* raiseRevision(sql)
    const before = yield* answeredBefore(account, wanted.requestKey, digest)
    if (before !== undefined) return before
    yield* roomIn(account)
    const { eventTypes, description, secret = newSecret(), requestKey } = wanted
    const at = yield* now
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
    yield* seed(webhook)
    const created = createdOf(webhook, secret)
    if (requestKey !== undefined) {
      const answer = yield* seal(Redacted.make(JSON.stringify(created)))
      yield* WebhookStore.rememberCreation(sql, { account, key: requestKey, digest, answer }, webhook.id, at)
    }
    return created
  })

  const create = Effect.fnUntraced(function* (account: AccountId, wanted: WantedWebhook) {
    const filters = yield* Effect.fromResult(checkFilters(wanted.eventTypes, wanted.filters))
    const digest = digestOfWanted(pepper, wanted, filters)
    // Before the target is looked at: what it is now is not what the first request asked.
    const before = yield* answeredBefore(account, wanted.requestKey, digest)
    if (before !== undefined) return before
    const url = yield* targets.check(wanted.url)
    return yield* tx(insert(account, { wanted, url, filters, digest }))
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
        yield* seed(webhook)
        if (webhook.active && !old.active) yield* WebhookStore.forgetFailures(sql, id)
        return webhook
      }),
    )

  const asks = ({ eventTypes, filters }: Pick<Webhook, "eventTypes" | "filters">) => ({ eventTypes, filters })
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
        // Else those that ask for more than before would be told of what was passed over for them.
        const since = isDeepStrictEqual(asks(old), { eventTypes, filters })
          ? old.since
          : yield* WebhookStore.logHead(sql)
        const url = target ?? old.url
        return { ...old, ...(active ? resumed : { active }), url, eventTypes, filters, description, since }
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
