import { Effect, Option, Stream } from "effect"
import { WebSocket } from "ws"
import { pendingSubscriptions } from "#src/upstream/chain/pending.ts"
import { subscription } from "#src/upstream/chain/subscription.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import { type Finding, fail, ok, warn } from "../Finding.ts"
import { hostOf, inWords, timeoutMillis } from "./ask.ts"

export const within = `${timeoutMillis} millis` as const

/** The first message, or none in time. */
export const firstOf = <A>(messages: Stream.Stream<A, UpstreamFailure>) =>
  Stream.runHead(messages).pipe(
    Effect.timeoutOption(within),
    Effect.map(Option.flatten),
    Effect.mapError(({ detail }) => detail),
    Effect.scoped,
  )

/** What a node sends for one of the subscriptions to pending transactions. */
const pendingOf = (url: string, params: ReadonlyArray<unknown>) =>
  Effect.match(firstOf(subscription({ url, params, silentAfter: within })), {
    onSuccess: (first) =>
      Option.isNone(first) ? "nothing" : typeof first.value.result === "string" ? "hashes" : "bodies",
    onFailure: (): "refused" => "refused",
  })

/** Whether a node sends pending transactions whole, by any of the methods that the service tries. */
const pendingFinding = Effect.fnUntraced(function* (url: string) {
  const check = `node ${hostOf(url)} pending`
  const sent = yield* Effect.forEach(pendingSubscriptions, (params) => pendingOf(url, params), {
    concurrency: "unbounded",
  })
  const whole = sent.indexOf("bodies")
  if (whole >= 0) return ok(check, `sends whole pending transactions by ${String(pendingSubscriptions[whole]?.[0])}`)
  const detail = sent.includes("hashes")
    ? "sends hashes of pending transactions only"
    : sent.includes("nothing")
      ? `sent no pending transaction within ${timeoutMillis / 1000} s`
      : "refuses subscriptions to pending transactions"
  return warn(check, detail, "no matches before their block; everything else works")
})

const headsFinding = (url: string) => {
  const check = `node ${hostOf(url)} socket`
  return Effect.match(firstOf(subscription({ url, params: ["newHeads"], silentAfter: within })), {
    onSuccess: (first) =>
      Option.isSome(first)
        ? ok(check, "sends new blocks")
        : warn(check, `no new block within ${timeoutMillis / 1000} s`, "the node is polled meanwhile"),
    onFailure: (reason) => fail(check, reason, "check UPSTREAM_RPC_SOCKET_URL"),
  })
}

/** A socket that does not open is reported once. */
const socketFindings = (url: string) =>
  Effect.flatMap(
    headsFinding(url),
    (heads): Effect.Effect<ReadonlyArray<Finding>> =>
      heads.state === "fail" ? Effect.succeed([heads]) : Effect.map(pendingFinding(url), (pending) => [heads, pending]),
  )

export const nodeSocketFindings = (urls: ReadonlyArray<string>) =>
  urls.length === 0
    ? Effect.succeed([
        warn(
          "node socket",
          "not set",
          "set UPSTREAM_RPC_SOCKET_URL: blocks come sooner, and matches before their block only with it",
        ),
      ])
    : Effect.map(Effect.forEach(urls, socketFindings, { concurrency: "unbounded" }), (found) => found.flat())

const opens = (url: string) =>
  Effect.callback<void, string>((resume) => {
    const socket = new WebSocket(url, { handshakeTimeout: timeoutMillis })
    socket.on("open", () => resume(Effect.void))
    socket.on("error", (error) => resume(Effect.fail(inWords(error))))
    return Effect.sync(() => socket.terminate())
  })

/** Whether a socket opens. `lost` is what does not work without it. */
export const socketFinding = (check: string, url: string, lost: string) =>
  Effect.match(opens(url), {
    onSuccess: () => ok(check, `${hostOf(url)} opens`),
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, lost),
  })
