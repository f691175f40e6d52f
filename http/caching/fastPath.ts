import { Clock, Effect, Exit, Tracer } from "effect"
import type { Headers } from "effect/unstable/http/Headers"
import { type HttpServerResponse, setHeaders } from "effect/unstable/http/HttpServerResponse"
import { LRUCache } from "lru-cache"
import { Admission } from "#src/access/Admission.ts"
import type { Rule } from "#src/access/Rule.ts"
import { limitHeaders, storeUnavailable } from "#src/access/refusals.ts"
import type { Answer, CachedAnswer } from "#src/caching/Answer.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import type { LimitStatus } from "#src/limits/model.ts"
import type { Incoming, Reply } from "../server/Exchange.ts"
import { refusalResponse } from "../server/errors.ts"
import { FastPath } from "../server/FastPath.ts"
import { cacheHeaders, dataAge } from "./cacheHeaders.ts"
import type { Acceptable } from "./chooseEncoding.ts"
import { encodingFor, etagOf, isNotModified, readyBytes } from "./representation.ts"
import { sendCached } from "./sendCached.ts"

/** The cached answer of an address, registered once a request for it has passed every check. */
export interface CachedRoute {
  readonly id: string
  readonly name: string
  readonly rule: Rule
  readonly family: string
  readonly route: string
  /** For an answer that names the host that was asked. */
  readonly host: string | undefined
  /** Loads the answer on the regular path, if it expired while the limits were checked. */
  readonly renew: Effect.Effect<CachedAnswer, unknown>
  /** Requests with another `Accept` take the regular path. */
  readonly accepts?: ((accept: string | undefined) => boolean) | undefined
}

const maxRoutes = 10_000
const maxAddressLength = 512

/** An address contains no space. */
const routeOf = (address: string, host: string | undefined) => (host === undefined ? address : `${host} ${address}`)

/**
 * Answers requests for a registered address from the cache while its answer is fresh, without routing or parsing their
 * parameters again: only key, plan, limits and metering remain. All other requests take the regular path. Returns the
 * function that registers an address.
 */
export const openFastPath = Effect.gen(function* () {
  const fastPath = yield* FastPath
  const cache = yield* AnswerCache
  const admission = yield* Admission
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const routes = new LRUCache<string, CachedRoute>({ max: maxRoutes })

  const send = (
    request: Incoming,
    reply: Reply,
    answer: Answer,
    encoding: Acceptable,
    bytes: Buffer,
    limits: LimitStatus,
  ) => {
    const now = clock.currentTimeMillisUnsafe()
    const { withBody, withoutBody } = cacheHeaders({ answer, from: "cache" }, encoding, now)
    const own = { "x-data-age-ms": dataAge(answer, now), ...limitHeaders(limits) }
    if (isNotModified(request.headers["if-none-match"], etagOf(answer, encoding))) {
      reply.writeHead(304, { ...withoutBody, ...own })
      reply.end()
      return
    }
    reply.writeHead(200, { ...withBody, ...own, "content-length": bytes.length })
    reply.end(bytes)
  }

  const write = (reply: Reply, { status, headers, body }: HttpServerResponse) => {
    const bytes = body._tag === "Uint8Array" ? body.body : Buffer.alloc(0)
    reply.writeHead(status, { ...headers, "content-length": bytes.length })
    reply.end(bytes)
  }

  /** Checking the limits takes a moment, in which the answer may have expired. */
  const renew = (request: Incoming, reply: Reply, cachedRoute: CachedRoute, limits: LimitStatus) => {
    const { headers } = request
    const sent = Effect.flatMap(cachedRoute.renew, (cached) =>
      sendCached({ headers: headers as Headers }, cached, clock.currentTimeMillisUnsafe()),
    )
    run(sent).addObserver((exit) => {
      if (reply.destroyed) return
      write(
        reply,
        Exit.isSuccess(exit) ? setHeaders(exit.value, limitHeaders(limits)) : refusalResponse(storeUnavailable()),
      )
    })
  }

  const take = (request: Incoming, reply: Reply): boolean => {
    if (request.method !== "GET" || request.queryKeys.length > 0) return false
    const { url = "", headers } = request
    const cachedRoute = routes.get(url) ?? routes.get(routeOf(url, headers["host"] ?? ""))
    if (cachedRoute === undefined || cachedRoute.accepts?.(request.headers["accept"]) === false) return false
    const answer = cache.peek(cachedRoute.id)
    if (answer === undefined) return false
    const encoding = encodingFor(answer, request.headers["accept-encoding"])
    if (encoding === "none") return false
    const bytes = readyBytes(answer, encoding)
    if (bytes === undefined) return false
    request.route = cachedRoute.route
    return admission.checkKnown(request, cachedRoute.rule, cachedRoute.family, (result) => {
      if (reply.destroyed) return
      if (result._tag === "Refusal") return write(reply, refusalResponse(result))
      if (!answer.isFresh(clock.currentTimeMillisUnsafe())) return renew(request, reply, cachedRoute, result.limits)
      cache.noteHit(cachedRoute.name, answer)
      send(request, reply, answer, encoding, bytes, result.limits)
    })
  }

  // With tracing, every request needs its span.
  const isTraced = (yield* Tracer.Tracer) !== Tracer.nativeTracer
  if (!isTraced) fastPath.open(take)

  return (address: string, cachedRoute: CachedRoute): void => {
    const route = routeOf(address, cachedRoute.host)
    if (isTraced || route.length > maxAddressLength || routes.get(route)?.id === cachedRoute.id) return
    routes.set(route, cachedRoute)
  }
})
