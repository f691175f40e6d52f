import { Effect, Equal } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import { feedName } from "#src/domain/Tick.ts"
import type { EncodedTicks, TickQuery } from "#src/ticks/segments/TickSegments.ts"
import { vary } from "../caching/cacheHeaders.ts"
import { chooseEncoding } from "../caching/chooseEncoding.ts"
import { minCompressBytes } from "../caching/representation.ts"
import { notAcceptable } from "../caching/sendCached.ts"
import { unavailable } from "../server/errors.ts"
import { type Body, collect, streamed } from "./body.ts"

/** Up to this size an answer is sent in one piece, which takes fewer steps. */
const maxSingleBytes = 65_536

const envelope = ({ coin, source, from, to, limit }: TickQuery, { count, pieces }: EncodedTicks): Body => {
  const fields = {
    symbol: coin,
    feed: feedName(coin),
    from,
    to,
    limit,
    count,
    truncated: count === limit,
    source: source ?? null,
  }
  return { head: Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"ticks":[`), pieces, tail: Buffer.from("]}") }
}

/** Ticks as JSON, in an encoding that the client accepts. */
export const respond = (range: TickQuery, found: EncodedTicks, request: HttpServerRequest, now: number) => {
  const body = envelope(range, found)
  const contentLength = body.head.length + found.bytes + body.tail.length
  const encoding = chooseEncoding(request.headers["accept-encoding"], contentLength < minCompressBytes)
  if (encoding === "none") {
    return Effect.succeed(notAcceptable)
  }
  const headers = {
    vary,
    "cache-control": "private, no-cache",
    ...(found.newest === undefined ? {} : { "x-data-age-ms": String(Math.max(0, Math.floor(now - found.newest))) }),
    ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
  }
  const contentType = "application/json"
  if (encoding === "identity" && contentLength <= maxSingleBytes) {
    return Effect.map(
      Effect.catch(
        Effect.tryPromise(() => collect(body)),
        unavailable("ticks"),
      ),
      (bytes) => HttpServerResponse.uint8Array(bytes, { headers, contentType }),
    )
  }
  const length = encoding === "identity" ? { "content-length": String(contentLength) } : {}
  return Effect.sync(() =>
    HttpServerResponse.raw(Equal.byReferenceUnsafe(streamed(body, encoding)), {
      contentType,
      headers: { ...headers, ...length },
    }),
  )
}
