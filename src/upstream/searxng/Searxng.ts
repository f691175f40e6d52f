import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { skip, type UndecodableItem } from "../undecodable.ts"
import type { EngineFailure, FoundPage, SearchPage, SearchRequest } from "./model.ts"
import { pageOf, restOf, WirePage, WireResult } from "./wire.ts"

/** No instance is configured. */
export class NoInstance extends Schema.TaggedError<NoInstance>()("NoInstance", {}) {}

/** Every instance answered, but none of the requested engines did. */
export class NoEngineAnswered extends Schema.TaggedError<NoEngineAnswered>()("NoEngineAnswered", {
  failures: Schema.Array(Schema.Struct({ engine: Schema.String, reason: Schema.String })),
}) {}

export type SearchFailure = UpstreamFailure | NoInstance | NoEngineAnswered

const targetOf = (base: string, { query, engines, language, timeRange, safeSearch }: SearchRequest): string => {
  const parameters = new URLSearchParams({ q: query, format: "json", engines: engines.join(","), language })
  parameters.set("safesearch", String(safeSearch))
  if (timeRange !== undefined) parameters.set("time_range", timeRange)
  return `${base}/search?${parameters}`
}

const decodeResult = Schema.decodeUnknownResult(WireResult)

const decodeResults = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
  const pages: Array<FoundPage> = []
  const undecodable: Array<UndecodableItem> = []
  for (const row of rows) {
    const decoded = decodeResult(row)
    if (Result.isSuccess(decoded)) pages.push(pageOf(decoded.success))
    // Without the row, and without the values that the message quotes: both may repeat the query.
    else undecodable.push({ reason: "a result without the documented fields", item: "" })
  }
  yield* skip("searxng", "result", undecodable)
  if (rows.length > 0 && pages.length === 0) {
    return yield* new UpstreamFailure({ upstream: "searxng", reason: "malformed", detail: "no readable result" })
  }
  return pages as ReadonlyArray<FoundPage>
})

/** An instance that knows none of the named engines asks its default ones instead. */
const foreignEngine = (results: ReadonlyArray<FoundPage>, engines: ReadonlyArray<string>): string | undefined =>
  results.flatMap((page) => page.engines).find((name) => !engines.includes(name))

const missingEngines = (engines: ReadonlyArray<string>): ReadonlyArray<EngineFailure> =>
  engines.map((engine) => ({ engine, reason: "not known to the SearXNG instance" }))

/** Engines that failed, if all of those requested did. */
const failedAltogether = ({ results, failures }: SearchPage, engines: ReadonlyArray<string>) => {
  if (foreignEngine(results, engines) !== undefined) return missingEngines(engines)
  if (failures.some(({ engine }) => !engines.includes(engine))) return missingEngines(engines)
  const failed = new Set(failures.map(({ engine }) => engine))
  return results.length === 0 && engines.every((engine) => failed.has(engine)) ? failures : undefined
}

/** Another instance may find more: older versions do not list engines that they suspended after a failure. */
const isPoor = ({ results, failures }: SearchPage) => results.length === 0 && failures.length > 0

const initialAvoidMillis = 1_000
const maxAvoidMillis = 60_000

/** One instance and whether it is asked first. */
interface Instance {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** It is asked after the others before this moment. */
  avoidUntil: number
  avoidMillis: number
}

/** A user name and a password in the address are sent as such. */
export const addressOf = (address: string): Pick<Instance, "url" | "headers"> => {
  const url = new URL(address)
  const user = [url.username, url.password].map(decodeURIComponent).join(":")
  url.username = ""
  url.password = ""
  return {
    url: url.href.replace(/\/$/, ""),
    headers: user === ":" ? {} : { authorization: `Basic ${Buffer.from(user).toString("base64")}` },
  }
}

const instanceAt = (address: string): Instance => ({
  ...addressOf(address),
  avoidUntil: 0,
  avoidMillis: initialAvoidMillis,
})

/** Web search by SearXNG. If one instance fails, or all its engines do, the next one is asked. */
export class Searxng extends Context.Service<
  Searxng,
  {
    /** Asked once per instance: somebody waits for it. */
    readonly search: (request: SearchRequest) => Effect.Effect<SearchPage, SearchFailure>
  }
>()("presage/upstream/searxng/Searxng") {
  static readonly layer = Layer.effect(
    Searxng,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { searxng } = yield* Endpoints
      const instances = searxng.map(instanceAt)

      const ask = (
        { url, headers }: Instance,
        request: SearchRequest,
      ): Effect.Effect<SearchPage, UpstreamFailure | NoEngineAnswered> =>
        Effect.gen(function* () {
          const call = { url: targetOf(url, request), server: url, attempts: 1, headers: () => headers }
          const wire = yield* http.decoded("searxng", WirePage, call)
          const page: SearchPage = { results: yield* decodeResults(wire.results), ...restOf(wire) }
          const failures = failedAltogether(page, request.engines)
          if (failures !== undefined) return yield* new NoEngineAnswered({ failures })
          return page
        })

      const avoid = (instance: Instance, now: number) => {
        instance.avoidUntil = now + instance.avoidMillis
        instance.avoidMillis = Math.min(maxAvoidMillis, instance.avoidMillis * 2)
      }

      return Searxng.of({
        search: Effect.fn("Searxng.search")(function* (request) {
          const now = yield* Clock.currentTimeMillis
          const ordered = [...instances].sort((a, b) => Number(a.avoidUntil > now) - Number(b.avoidUntil > now))
          let failure: SearchFailure = new NoInstance()
          let poor: SearchPage | undefined
          for (const instance of ordered) {
            const result = yield* Effect.result(ask(instance, request))
            if (Result.isSuccess(result)) {
              instance.avoidUntil = 0
              instance.avoidMillis = initialAvoidMillis
              if (!isPoor(result.success)) return result.success
              poor ??= result.success
              continue
            }
            avoid(instance, yield* Clock.currentTimeMillis)
            failure = failure instanceof NoEngineAnswered ? failure : result.failure
          }
          return poor ?? (yield* Effect.fail(failure))
        }),
      })
    }),
  )
}
