import { Duration, Effect, Metric } from "effect"
import type { BlockHeader } from "./header.ts"

const age = Metric.gauge("presage_chain_head_age_seconds", {
  description: "Time since the node last reported a new highest block",
})
const stalls = Metric.counter("presage_chain_stalls_total", {
  description: "Times that the node reported no new block for too long",
  incremental: true,
})
const olderHeads = Metric.counter("presage_chain_older_heads_total", {
  description: "Answers of the node that were behind an earlier one, as with several nodes behind one address",
  incremental: true,
})

/** Logs once when the node stalls, and once when it recovers. Counts answers that are behind an earlier one. */
export const watchHead = (stalledAfter: () => Duration.Duration) => {
  let highest = -1
  let since = 0
  let isStalled = false
  return Effect.fnUntraced(function* ({ number }: BlockHeader) {
    const now = performance.now()
    if (number > highest) {
      if (isStalled) yield* Effect.logInfo(`rpc: new blocks again, after ${Math.round((now - since) / 1000)} s`)
      highest = number
      since = now
      isStalled = false
    } else if (number < highest) {
      yield* Metric.update(olderHeads, 1)
      yield* Effect.logDebug(`rpc: an answer is ${highest - number} blocks behind an earlier one`)
    }
    yield* Metric.update(age, (now - since) / 1000)
    const limit = stalledAfter()
    if (isStalled || now - since <= Duration.toMillis(limit)) return
    isStalled = true
    yield* Metric.update(stalls, 1)
    yield* Effect.logWarning(
      `rpc: no block after ${highest} for more than ${Duration.format(limit)}: the node lags, or the chain has stalled`,
    )
  })
}
