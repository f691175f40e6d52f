import { Clock, Duration, Effect, Redacted } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { WebhookId } from "../model.ts"
import { RequestKeyReused } from "../subscriptions/refusals.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { makeSeal } from "../subscriptions/seal.ts"
import * as WebhookStore from "../subscriptions/WebhookStore.ts"

/** How long a request is known again by its key. */
const life = Duration.toMillis("24 hours")

interface Request {
  readonly account: AccountId
  /** Without one it is never known again. */
  readonly key: string | undefined
  /** Of what was asked for. */
  readonly digest: Buffer
}

/** Answers with secrets, for those who ask twice because they do not know whether the first time had worked. */
export const makeAnswers = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const box = yield* SecretBox
  const seal = yield* makeSeal

  /** What was answered to the same request. */
  const before = Effect.fnUntraced(function* <A>({ account, key, digest }: Request) {
    if (key === undefined) return undefined
    const after = new Date((yield* Clock.currentTimeMillis) - life)
    const known = yield* WebhookStore.findCreation(sql, account, key, after)
    if (known === undefined) return undefined
    if (!digest.equals(known.digest)) return yield* new RequestKeyReused()
    return JSON.parse(Redacted.value(box.open(known.answer))) as A
  })

  const remember = Effect.fnUntraced(function* ({ account, key, digest }: Request, webhook: WebhookId, said: object) {
    if (key === undefined) return
    const answer = yield* seal(Redacted.make(JSON.stringify(said)))
    const at = new Date(yield* Clock.currentTimeMillis)
    yield* WebhookStore.rememberCreation(sql, { account, key, digest, answer }, webhook, at)
  })

  return { before, remember }
})
