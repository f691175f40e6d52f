import type { Answer, CachedAnswer } from "#src/caching/Answer.ts"
import type { Choice } from "./chooseEncoding.ts"
import { etagOf } from "./representation.ts"

type Headers = Readonly<Record<string, string>>

/** Headers of an encoded answer, without those that differ per request. */
export interface CacheHeaders {
  readonly withBody: Headers
  /** For a 304. */
  readonly withoutBody: Headers
}

const seconds = (millis: number) => Math.max(0, Math.floor(millis / 1000))

/** Values of `x-cache`. */
const cacheStatus = { load: "miss", cache: "hit", stale: "stale" } as const

/** Answers differ per key and encoding, and some lists have several formats. */
export const vary = "accept, accept-encoding, authorization, x-api-key"

interface Prepared {
  readonly age: number
  readonly left: number
  readonly from: CachedAnswer["from"]
  readonly headers: CacheHeaders
}

/** Headers change once a second, so they are built once a second. */
const prepared = new WeakMap<Answer, Map<Choice, Prepared>>()

const buildHeaders = (
  answer: Answer,
  encoding: Choice,
  from: CachedAnswer["from"],
  age: number,
  left: number,
): CacheHeaders => {
  const { freshUntil, staleUntil } = answer.times
  // Caches subtract the age, which leaves exactly the remaining lifetime.
  const maxAge = from === "stale" ? 0 : age + left
  const staleFor = from === "stale" ? 0 : seconds(staleUntil - freshUntil)
  const withoutBody = {
    etag: etagOf(answer, encoding),
    vary,
    "cache-control": `private, max-age=${maxAge}${staleFor > 0 ? `, stale-if-error=${staleFor}` : ""}`,
    age: String(age),
    "x-cache": cacheStatus[from],
  }
  const content = { "content-type": "application/json" }
  return {
    withBody: { ...content, ...(encoding === "identity" ? {} : { "content-encoding": encoding }), ...withoutBody },
    withoutBody,
  }
}

export const cacheHeaders = ({ answer, from }: CachedAnswer, encoding: Choice, now: number): CacheHeaders => {
  const age = seconds(now - answer.times.storedAt)
  const left = seconds(answer.times.freshUntil - now)
  let ofAnswer = prepared.get(answer)
  if (ofAnswer === undefined) {
    ofAnswer = new Map()
    prepared.set(answer, ofAnswer)
  }
  const found = ofAnswer.get(encoding)
  if (found !== undefined && found.age === age && found.left === left && found.from === from) return found.headers
  const headers = buildHeaders(answer, encoding, from, age, left)
  ofAnswer.set(encoding, { age, left, from, headers })
  return headers
}

/** Age of the newest data in the answer; if unknown, age of the answer. */
export const dataAge = ({ times }: Answer, now: number): string =>
  String(Math.max(0, now - (times.dataAt ?? times.storedAt)))
