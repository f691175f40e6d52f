import { Clock, Effect, Exit, Tracer } from "effect"
import type { Headers } from "effect/unstable/http/Headers"
import { type HttpServerResponse, isHttpServerResponse, setHeaders } from "effect/unstable/http/HttpServerResponse"
import type { Answer } from "#src/caching/Answer.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import type { Cached } from "#src/caching/model.ts"
import type { Standing } from "#src/limits/model.ts"
import { Gatekeeper } from "../access/Gatekeeper.ts"
import type { Rule } from "../access/Rule.ts"
import { limitHeaders, storeAway } from "../access/refusals.ts"
import type { Incoming, Reply } from "../server/Exchange.ts"
import { ShortCut } from "../server/ShortCut.ts"
import { cacheHeaders, dataAge } from "./cacheHeaders.ts"
import type { Acceptable } from "./chooseEncoding.ts"
import { encodingFor, etagOf, isKnown, readyBytes } from "./representation.ts"
import { sendCached } from "./sendCached.ts"

/** Where the answer to an address lies, once a request for it has passed every check. */
export interface Spot {
  readonly id: string
  readonly name: string
  readonly rule: Rule
  readonly family: string
  readonly route: string
  /** The answer by the usual way, where it was fresh when the request came and no longer is. */
  readonly renew: Effect.Effect<Cached, unknown>
}

const mostSpots = 10_000
const longestAddress = 512

/**
 * Answers requests for an address that was asked for before, while its answer is fresh, without routing them and without
 * looking at their parameters again: the key, the plan, the limits and the meter are all that is left. Whatever is unusual
 * goes the usual way. Gives back how an address is made known.
 */
export const openShortCut = Effect.gen(function* () {
  const shortCut = yield* ShortCut
  const cache = yield* AnswerCache
  const gatekeeper = yield* Gatekeeper
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const spots = new Map<string, Spot>()

  const send = (
    request: Incoming,
    reply: Reply,
    answer: Answer,
    encoding: Acceptable,
    bytes: Buffer,
    standing: Standing,
  ) => {
    const now = clock.currentTimeMillisUnsafe()
    const { withBody, withoutBody } = cacheHeaders({ answer, from: "cache" }, encoding, now)
    const own = { "x-data-age-ms": dataAge(answer, now), ...limitHeaders(standing) }
    if (isKnown(request.headers["if-none-match"], etagOf(answer, encoding))) {
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

  /** Asking for a place takes a moment, and a window may have ended in it. */
  const renew = (request: Incoming, reply: Reply, spot: Spot, standing: Standing) => {
    const { headers } = request
    const sent = Effect.flatMap(spot.renew, (cached) =>
      sendCached({ headers: headers as Headers }, cached, clock.currentTimeMillisUnsafe()),
    )
    run(sent).addObserver((exit) => {
      if (reply.destroyed) return
      write(reply, Exit.isSuccess(exit) ? setHeaders(exit.value, limitHeaders(standing)) : storeAway())
    })
  }

  const take = (request: Incoming, reply: Reply): boolean => {
    if (request.method !== "GET" || request.queryKeys.length > 0) return false
    const spot = spots.get(request.url ?? "")
    if (spot === undefined) return false
    const answer = cache.peek(spot.id)
    if (answer === undefined) return false
    const encoding = encodingFor(answer, request.headers["accept-encoding"])
    if (encoding === "none") return false
    const bytes = readyBytes(answer, encoding)
    if (bytes === undefined) return false
    request.route = spot.route
    const asked = { headers: request.headers as Headers, source: request }
    return gatekeeper.checkKnown(asked, spot.rule, spot.family, (outcome) => {
      if (reply.destroyed) return
      if (isHttpServerResponse(outcome)) return write(reply, outcome)
      if (!answer.isFresh(clock.currentTimeMillisUnsafe())) return renew(request, reply, spot, outcome.standing)
      cache.noteHit(spot.name, answer)
      send(request, reply, answer, encoding, bytes, outcome.standing)
    })
  }

  // Whoever traces wants to see every request.
  const isTraced = (yield* Tracer.Tracer) !== Tracer.nativeTracer
  if (!isTraced) shortCut.open(take)

  return (address: string, spot: Spot): void => {
    if (isTraced || address.length > longestAddress || spots.get(address)?.id === spot.id) return
    const [oldest] = spots.keys()
    if (spots.size >= mostSpots && oldest !== undefined) spots.delete(oldest)
    spots.set(address, spot)
  }
})
