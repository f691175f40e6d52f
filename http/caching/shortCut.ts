import { Clock, Effect, Exit, Tracer } from "effect"
import type { Headers } from "effect/unstable/http/Headers"
import { isHttpServerResponse } from "effect/unstable/http/HttpServerResponse"
import type { Answer } from "#src/caching/Answer.ts"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { Gatekeeper, type Pass } from "../access/Gatekeeper.ts"
import type { Rule } from "../access/Rule.ts"
import { limitHeaders } from "../access/refusals.ts"
import { type Incoming, type Reply, refuse } from "../server/Exchange.ts"
import { ShortCut } from "../server/ShortCut.ts"
import { cacheHeaders, dataAge } from "./cacheHeaders.ts"
import { bytesIn, encodingFor, etagOf, isKnown } from "./representation.ts"

/** Where the answer to an address lies, once a request for it has passed every check. */
export interface Spot {
  readonly id: string
  readonly name: string
  readonly rule: Rule
  readonly family: string
  readonly route: string
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

  const send = (request: Incoming, reply: Reply, answer: Answer, bytes: Buffer, { standing }: Pass) => {
    const { headers } = request
    const now = clock.currentTimeMillisUnsafe()
    const encoding = encodingFor(answer, headers["accept-encoding"])
    const { withBody, withoutBody } = cacheHeaders({ answer, from: "cache" }, encoding, now)
    const own = { "x-data-age-ms": dataAge(answer, now), ...limitHeaders(standing) }
    if (isKnown(headers["if-none-match"], etagOf(answer, encoding))) {
      reply.writeHead(304, { ...withoutBody, ...own })
      reply.end()
      return
    }
    reply.writeHead(200, { ...withBody, ...own, "content-length": bytes.length })
    reply.end(bytes)
  }

  const sendRefusal = (reply: Reply, refused: unknown) => {
    if (!isHttpServerResponse(refused) || refused.body._tag !== "Uint8Array") {
      return refuse(reply, 500, { error: "Internal error.", request_id: reply.req.requestId })
    }
    reply.writeHead(refused.status, { ...refused.headers, "content-length": refused.body.contentLength })
    reply.end(refused.body.body)
  }

  const take = (request: Incoming, reply: Reply): boolean => {
    if (request.method !== "GET" || request.queryKeys.length > 0) return false
    const spot = spots.get(request.url ?? "")
    if (spot === undefined) return false
    const answer = cache.peek(spot.id, spot.name)
    if (answer === undefined) return false
    const encoding = encodingFor(answer, request.headers["accept-encoding"])
    const bytes = encoding === "none" ? undefined : bytesIn(answer, encoding)
    if (!Buffer.isBuffer(bytes)) return false
    request.route = spot.route
    const asked = { headers: request.headers as Headers, source: request }
    run(gatekeeper.check(asked, spot.rule, spot.family)).addObserver((exit) => {
      if (reply.destroyed) return
      if (Exit.isSuccess(exit)) return send(request, reply, answer, bytes, exit.value)
      const [reason] = exit.cause.reasons
      sendRefusal(reply, reason?._tag === "Fail" ? reason.error : undefined)
    })
    return true
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
