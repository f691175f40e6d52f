import { Effect, Option, Stream } from "effect"
import { WebSocket } from "ws"
import { subscription } from "#src/upstream/chain/subscription.ts"
import { type Finding, fail, ok, warn } from "../Finding.ts"
import { hostOf, timeoutMillis } from "./ask.ts"

const within = `${timeoutMillis} millis` as const

const firstOf = <A, E extends { readonly message: string }>(messages: Stream.Stream<A, E>) =>
  Stream.runHead(messages).pipe(
    Effect.timeoutOption(within),
    Effect.map(Option.flatten),
    Effect.mapError(({ message }) => message),
    Effect.scoped,
  )

/** What a node sends about pending transactions. */
const pendingFinding = (url: string) => {
  const check = `node ${hostOf(url)} pending`
  const none = "no pending matches, unless the provider has a method of its own; they are tried in turn at the start"
  return Effect.match(firstOf(subscription({ url, params: ["newPendingTransactions", true], silentAfter: within })), {
    onSuccess: (first): Finding => {
      if (Option.isNone(first)) return warn(check, `no pending transaction within ${timeoutMillis / 1000} s`, none)
      return typeof first.value.result === "string"
        ? warn(check, "sends hashes of pending transactions", none)
        : ok(check, "sends whole pending transactions")
    },
    onFailure: (reason) => warn(check, reason, none),
  })
}

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

export const nodeSocketFindings = (urls: ReadonlyArray<string>) =>
  urls.length === 0
    ? Effect.succeed([
        warn(
          "node socket",
          "not set",
          "set UPSTREAM_RPC_SOCKET_URL: blocks come sooner, and pending matches only with it",
        ),
      ])
    : Effect.forEach(
        urls.flatMap((url) => [headsFinding(url), pendingFinding(url)]),
        (finding) => finding,
        {
          concurrency: "unbounded",
        },
      )

const opens = (url: string) =>
  Effect.callback<void, string>((resume) => {
    const socket = new WebSocket(url, { handshakeTimeout: timeoutMillis })
    socket.on("open", () => resume(Effect.void))
    socket.on("error", ({ message }) => resume(Effect.fail(message)))
    return Effect.sync(() => socket.terminate())
  })

/** Whether a socket opens. `lost` is what does not work without it. */
export const socketFinding = (check: string, url: string, lost: string) =>
  Effect.match(opens(url), {
    onSuccess: () => ok(check, `${hostOf(url)} opens`),
    onFailure: (reason) => warn(check, `${hostOf(url)}: ${reason}`, lost),
  })
