import { type Duration, Effect, Result, Stream } from "effect"
import { countReconnect, reconnectDelay } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import * as undecodable from "../undecodable.ts"
import { generations } from "./contracts.ts"
import { matchSelectors, type PendingMatch, readPending } from "./pendingMatch.ts"
import { pendingProblem, setPendingSource } from "./pendingSource.ts"
import { subscription } from "./subscription.ts"

/** Contracts that match orders in transactions of their own format. */
const matchingExchanges = [...generations].flatMap(([exchange, generation]) =>
  generation === 1 ? [] : [`0x${exchange}`],
)

/** Subscriptions that send whole transactions, in the order in which they are tried. */
export const pendingSubscriptions: ReadonlyArray<ReadonlyArray<unknown>> = [
  // bor and geth.
  ["newPendingTransactions", true],
  // Alchemy, whose `newPendingTransactions` sends hashes.
  ["alchemy_pendingTransactions", { toAddress: matchingExchanges, hashesOnly: false }],
  // erigon and Chainstack.
  ["newPendingTransactionsWithBody"],
]

/** Time until subscriptions that did not work are tried again. */
const tryAgainAfter = "5 minutes"

const isHash = (text: string) => /"result":\s*"0x[0-9a-f]{64}"/i.test(text)

const refused = (detail: string) => new UpstreamFailure({ upstream: "rpc", reason: "refused", detail })

/** Matches before their block, by the first subscription that sends whole transactions, of one node after the other. */
export const pendingFrom = (
  urls: ReadonlyArray<string>,
  silentAfter: () => Duration.Duration,
): Stream.Stream<PendingMatch> => {
  /** The subscription to try on each node. */
  const next = urls.map(() => 0)
  let node = 0
  let hasHashes = false

  const notifications = Stream.suspend(() => {
    const params = pendingSubscriptions[next[node] ?? 0] ?? []
    return subscription({
      url: urls[node] ?? "",
      params,
      silentAfter: silentAfter(),
      // The node sends every transaction of the chain.
      wanted: (text) => isHash(text) || matchSelectors.some((selector) => text.includes(selector)),
    }).pipe(
      Stream.mapEffect((notification) => {
        if (typeof notification.result !== "string") return Effect.succeed(notification)
        hasHashes = true
        return Effect.fail(refused(`${params[0]} sends hashes only`))
      }),
      Stream.tap(() => setPendingSource("bodies")),
    )
  })

  const goToNextNode = () => {
    node = (node + 1) % urls.length
  }

  /** No node sends whole transactions. */
  const giveUp = Effect.gen(function* () {
    const source = hasHashes ? "hashes" : "refused"
    yield* setPendingSource(source)
    yield* Effect.logWarning(`rpc: ${pendingProblem[source]}`)
    yield* Effect.sleep(tryAgainAfter)
    hasHashes = false
    next.fill(0)
  })

  /** Goes on to the next subscription after a refusal, and to the next node after another failure. */
  const afterFailure = Effect.fnUntraced(function* (failure: UpstreamFailure) {
    if (failure.reason === "refused") {
      yield* Effect.logDebug(failure.message)
      next[node] = (next[node] ?? 0) + 1
      if ((next[node] ?? 0) < pendingSubscriptions.length) return
    } else {
      yield* countReconnect("rpc")
      yield* Effect.logInfo(`${failure.message}; reconnecting`)
    }
    if (next.every((tried) => tried >= pendingSubscriptions.length)) return yield* giveUp
    do goToNextNode()
    while ((next[node] ?? 0) >= pendingSubscriptions.length)
  })

  return notifications.pipe(
    Stream.tapError(afterFailure),
    Stream.retry(reconnectDelay),
    Stream.orDie,
    // Matches arrive by the dozen and take a while to decode: other fibers run in between.
    Stream.tap(() => Effect.yieldNow),
    Stream.mapEffect(({ text, result }) =>
      Result.match(readPending(result), {
        onSuccess: (match) => Effect.succeed(match === undefined ? [] : [match]),
        onFailure: (reason) => Effect.as(undecodable.skip("rpc", "pending", [{ reason, item: text }]), []),
      }),
    ),
    Stream.flattenIterable,
    Stream.ensuring(setPendingSource(undefined)),
  )
}

/** Nothing, and why. */
export const noPending: Stream.Stream<PendingMatch> = Stream.unwrap(
  Effect.as(setPendingSource("no-socket"), Stream.never),
)
