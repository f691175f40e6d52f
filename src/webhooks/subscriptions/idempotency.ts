import { Clock, Duration, Effect, Redacted } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { WebhookId } from "../model.ts"
import { RequestKeyReused } from "./errors.ts"
import { makeSeal, SecretBox } from "./SecretBox.ts"
import * as WebhookStore from "./WebhookStore.ts"

/** How long an idempotency key is valid. */
const validMillis = Duration.toMillis("24 hours")

interface Request {
  readonly account: AccountId
  /** Without a key the request is not idempotent. */
  readonly key: string | undefined
  /** Digest of the request. */
  readonly digest: Buffer
}

/** Stored answers, which contain secrets, for requests that are repeated because their result is unknown. */
export const makeIdempotency = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const box = yield* SecretBox
  const seal = yield* makeSeal

  /** The answer to the same request. */
  const find = Effect.fnUntraced(function* <A>({ account, key, digest }: Request) {
    if (key === undefined) return undefined
    const after = new Date((yield* Clock.currentTimeMillis) - validMillis)
    const stored = yield* WebhookStore.findCreation(sql, account, key, after)
    if (stored === undefined) return undefined
    if (!digest.equals(stored.digest)) return yield* new RequestKeyReused()
    return JSON.parse(Redacted.value(box.open(stored.answer))) as A
  })

  const save = Effect.fnUntraced(function* ({ account, key, digest }: Request, webhook: WebhookId, content: object) {
    if (key === undefined) return
    const answer = yield* seal(Redacted.make(JSON.stringify(content)))
    const at = new Date(yield* Clock.currentTimeMillis)
    yield* WebhookStore.saveCreation(sql, { account, key, digest, answer }, webhook, at)
  })

  return { find, save }
})
