import { createHmac, randomBytes } from "node:crypto"
import { Clock, Effect, Redacted } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"
import { allowances } from "#src/domain/Plan.ts"
import * as KeyStore from "#src/keys/KeyStore.ts"
import { NoSuchAccount } from "#src/keys/model.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { SecretBytes } from "#src/secrets/digest.ts"
import { Secrets } from "#src/secrets/Secrets.ts"
import { type Confirmations, checkLevel, confirmationsOf, levelOf } from "../confirmationLevels.ts"
import { WebhooksSeed } from "../contracts.ts"
import { Targets } from "../delivery/Targets.ts"
import { type ConfirmationLevel, type Filters, type Webhook, type WebhookEventType, WebhookId } from "../model.ts"
import { startFollowing } from "../polling/positionStatusChange/SeedStore.ts"
import { webhooksConfirmations } from "../settings.ts"
import { TooManyWebhooks } from "./errors.ts"
import type { GivenFilters } from "./filterFields.ts"
import { checkFilters } from "./filters.ts"
import { makeIdempotency } from "./idempotency.ts"
import { raiseRevision } from "./revision.ts"
import { makeSeal } from "./SecretBox.ts"
import * as WebhookStore from "./WebhookStore.ts"

/** A request to create a webhook. */
export interface WebhookRequest {
  readonly url: string
  readonly eventTypes: ReadonlyArray<WebhookEventType>
  readonly filters: GivenFilters
  /** The standard ones if absent. */
  readonly confirmations?: Confirmations | undefined
  readonly description: string | null
  /** Generated if absent. */
  readonly secret: Redacted.Redacted<string> | undefined
  /** Idempotency key: requests with the same key within a day are executed once. */
  readonly requestKey: string | undefined
}

/** The response to the creation: the only one with the secret. */
export interface CreatedWebhook {
  readonly id: WebhookId
  readonly url: string
  readonly event_types: ReadonlyArray<WebhookEventType>
  readonly filters: Filters
  readonly confirmations: Confirmations
  readonly secret: string
  readonly active: boolean
  readonly seeding: boolean
  readonly description: string | null
  readonly created_at: string
}

const createdOf = (
  webhook: Webhook,
  secret: Redacted.Redacted<string>,
  standardConfirmations: number,
): CreatedWebhook => ({
  id: webhook.id,
  url: webhook.url,
  event_types: webhook.eventTypes,
  filters: webhook.filters,
  confirmations: confirmationsOf(webhook.level, standardConfirmations),
  secret: Redacted.value(secret),
  active: webhook.active,
  seeding: webhook.seeding,
  description: webhook.description,
  created_at: webhook.createdAt.toISOString(),
})

const newId = () => WebhookId.make(`wh_${randomBytes(6).toString("hex")}`)
export const newSecret = () => Redacted.make(`whsec_${randomBytes(16).toString("hex")}`)

const digestOf = (pepper: SecretBytes, text: string): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update(text).digest()

/** Digest of a request. Uses the pepper, because the request may contain a secret chosen by the user. */
const digestOfRequest = (pepper: SecretBytes, request: WebhookRequest, filters: Filters): Buffer => {
  const secret = request.secret === undefined ? null : Redacted.value(request.secret)
  const level = request.confirmations === undefined ? [] : [request.confirmations]
  const content = [request.url, request.eventTypes, filters, request.description, secret, ...level]
  return digestOf(pepper, `webhook ${JSON.stringify(content)}`)
}

export const digestOfRotation = (pepper: SecretBytes, id: WebhookId): Buffer => digestOf(pepper, `rotation ${id}`)

const watchedBy = ({ eventTypes, filters }: Pick<Webhook, "eventTypes" | "filters">) =>
  eventTypes.includes("position_status_change") ? (filters.wallet_addresses ?? []) : []

/** For a webhook whose types or filters are new, in the transaction that writes it; returns it as it is then. */
export const followFor = Effect.fnUntraced(function* (sql: SqlClient, webhook: Webhook) {
  yield* startFollowing(sql, watchedBy(webhook))
  return (yield* WebhookStore.find(sql, webhook.id, undefined)) ?? webhook
})

/** Has the positions of its wallets copied, after the transaction. The sweep repeats what fails here. */
export const makeSeed = Effect.map(Jobs, (jobs) => (webhook: Pick<Webhook, "eventTypes" | "filters" | "seeding">) => {
  const payloads = webhook.seeding ? watchedBy(webhook).map((wallet) => ({ wallet })) : []
  return payloads.length === 0
    ? Effect.void
    : Effect.catch(jobs.enqueueAll(WebhooksSeed, payloads), (error) =>
        Effect.logWarning(`failed to enqueue the seeding of wallets; the sweep retries: ${error.message}`),
      )
})

interface CheckedRequest {
  readonly request: WebhookRequest
  readonly url: string
  readonly filters: Filters
  readonly level: ConfirmationLevel
  readonly digest: Buffer
}

/** Creates webhooks: each once, and no more than the plan allows. */
export const makeCreate = Effect.gen(function* () {
  const { sql, tx } = yield* Postgres
  const config = yield* Configuration
  const { pepper } = yield* Secrets
  const idempotency = yield* makeIdempotency
  const targets = yield* Targets
  const seal = yield* makeSeal
  const seed = yield* makeSeed

  const checkLimit = Effect.fnUntraced(function* (id: AccountId) {
    const account = yield* KeyStore.lockAccount(sql, id)
    if (account === undefined) return yield* new NoSuchAccount({ id })
    const limit = allowances[account.plan].webhooks
    if ((yield* WebhookStore.count(sql, id)) >= limit) return yield* new TooManyWebhooks({ plan: account.plan, limit })
  })

  const insert = Effect.fnUntraced(function* (account: AccountId, checked: CheckedRequest) {
    const { request, url, filters, level, digest } = checked
    const revision = yield* raiseRevision(sql)
    const idempotent = { account, key: request.requestKey, digest }
    const before = yield* idempotency.find<CreatedWebhook>(idempotent)
    if (before !== undefined) return before
    yield* checkLimit(account)
    const { eventTypes, description, secret = newSecret() } = request
    const at = new Date(yield* Clock.currentTimeMillis)
    const webhook: Webhook = {
      id: newId(),
      account,
      url,
      eventTypes,
      filters,
      level,
      description,
      active: true,
      disabledAt: null,
      disabledReason: null,
      hasSecret: true,
      seeding: false,
      since: yield* WebhookStore.logHead(sql),
      createdAt: at,
      updatedAt: at,
    }
    yield* WebhookStore.insert(sql, webhook, yield* seal(secret), revision)
    const created = createdOf(yield* followFor(sql, webhook), secret, config.get(webhooksConfirmations))
    yield* idempotency.save(idempotent, webhook.id, created)
    return created
  })

  return Effect.fn("Webhooks.create")(function* (account: AccountId, request: WebhookRequest) {
    const filters = yield* Effect.fromResult(checkFilters(request.eventTypes, request.filters))
    const standard = config.get(webhooksConfirmations)
    const wanted = yield* Effect.fromResult(levelOf(request.confirmations, standard))
    const level = yield* Effect.fromResult(checkLevel(request.eventTypes, wanted, standard))
    const digest = digestOfRequest(pepper, request, filters)
    // Before the target is checked: it may have changed since the first request.
    const before = yield* idempotency.find<CreatedWebhook>({ account, key: request.requestKey, digest })
    if (before !== undefined) return before
    const url = yield* targets.check(request.url)
    const created = yield* tx(insert(account, { request, url, filters, level, digest }))
    yield* seed({ ...request, filters, seeding: created.seeding })
    return created
  })
})
