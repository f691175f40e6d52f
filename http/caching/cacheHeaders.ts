import type { Answer } from "#src/caching/Answer.ts"
import type { Cached } from "#src/caching/model.ts"
import type { Choice } from "./chooseEncoding.ts"
import { etagOf } from "./representation.ts"

type Headers = Readonly<Record<string, string>>

/** The headers of an answer in an encoding, without those that differ from request to request. */
export interface CacheHeaders {
  readonly withBody: Headers
  /** To a client that has the body already. */
  readonly withoutBody: Headers
}

const seconds = (millis: number) => Math.max(0, Math.floor(millis / 1000))

/** How an answer was come by, as `x-cache` says it. */
const spelled = { load: "miss", cache: "hit", stale: "stale" } as const

/** For one key only, and for those who ask in the same way. */
export const vary = "accept-encoding, authorization, x-api-key"

interface Prepared {
  readonly age: number
  readonly left: number
  readonly from: Cached["from"]
  readonly headers: CacheHeaders
}

/** What changes once a second is written once a second. */
const prepared = new WeakMap<Answer, Map<Choice, Prepared>>()

const write = (answer: Answer, encoding: Choice, from: Cached["from"], age: number, left: number): CacheHeaders => {
  const { freshUntil, staleUntil } = answer.times
  // Caches take the age off, so that exactly what is left remains.
  const life = from === "stale" ? 0 : age + left
  const spare = from === "stale" ? 0 : seconds(staleUntil - freshUntil)
  const withoutBody = {
    etag: etagOf(answer, encoding),
    vary,
    "cache-control": `private, max-age=${life}${spare > 0 ? `, stale-if-error=${spare}` : ""}`,
    age: String(age),
    "x-cache": spelled[from],
  }
  const content = { "content-type": "application/json" }
  return {
    withBody: { ...content, ...(encoding === "identity" ? {} : { "content-encoding": encoding }), ...withoutBody },
    withoutBody,
  }
}

export const cacheHeaders = ({ answer, from }: Cached, encoding: Choice, now: number): CacheHeaders => {
  const age = seconds(now - answer.times.storedAt)
  const left = seconds(answer.times.freshUntil - now)
  let ofAnswer = prepared.get(answer)
  if (ofAnswer === undefined) {
    ofAnswer = new Map()
    prepared.set(answer, ofAnswer)
  }
  const found = ofAnswer.get(encoding)
  if (found !== undefined && found.age === age && found.left === left && found.from === from) return found.headers
  const headers = write(answer, encoding, from, age, left)
  ofAnswer.set(encoding, { age, left, from, headers })
  return headers
}

/** How old the newest data in the answer are; where nothing is known, how old the answer is. */
export const dataAge = ({ times }: Answer, now: number): string =>
  String(Math.max(0, now - (times.dataAt ?? times.storedAt)))
