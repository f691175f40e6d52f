import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { AsOf } from "#src/ledger/asOf.ts"
import { ageHeaders, objectResponse, shownAsOf } from "./answer.ts"
import { coverageOf } from "./coverageOf.ts"

export interface ReadObject {
  readonly body: Readonly<Record<string, unknown>>
  readonly asOf: AsOf | undefined
}

/** Answers with an object that is no list: adds what every such answer of V3 has. */
export const objectAnswers = Effect.map(
  coverageOf,
  (coverageNow) =>
    <E, R>(covers: "facts" | "positions", read: Effect.Effect<ReadObject, E, R>) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const coverage = yield* coverageNow(covers)
        const { body, asOf } = yield* read
        return objectResponse(body, { asOf, coverage, start, now: yield* Clock.currentTimeMillis })
      }),
)

/** Answers with an object of the older families, which have no elapsed time. */
export const datedAnswers = Effect.map(
  coverageOf,
  (coverageNow) =>
    <E, R>(covers: "facts" | "positions", read: Effect.Effect<ReadObject, E, R>) =>
      Effect.gen(function* () {
        const coverage = yield* coverageNow(covers)
        const { body, asOf } = yield* read
        const headers = ageHeaders(asOf, yield* Clock.currentTimeMillis)
        return HttpServerResponse.jsonUnsafe({ ...body, as_of: shownAsOf(asOf), coverage }, { headers })
      }),
)
