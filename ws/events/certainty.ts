import { Clock, Effect } from "effect"
import { Feed } from "#src/feed/Feed.ts"
import * as ForkStore from "#src/feed/ForkStore.ts"
import type { FeedEntry } from "#src/feed/model.ts"
import type { StatusChange } from "#src/feed/payloads/settlements.ts"
import { renderers } from "#src/feed/renderers/index.ts"
import { confirmedBlock, finalBlock } from "#src/ledger/certainBlock.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Confirmations } from "#src/streams/protocol/client.ts"

/** Confirmations for which events wait. Without any they come at once, also before they are in a block. */
export type AwaitedConfirmations = Exclude<Confirmations, 0>

/** A first event that is still uncertain is no older than this, even if finality takes long. */
const longestWaitMillis = 30 * 60_000

/** The block of an entry, with which it is retracted. */
const blockOf = (event: LoggedEvent): bigint | null => {
  if (event.kind !== "settlement_status") return renderers.get(event.kind)?.block?.(event) ?? null
  const { block } = event.data as StatusChange
  return block === null ? null : BigInt(block)
}

/** How the log looks to those who wait for confirmations. */
export const makeCertainty = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const log = yield* EventLog
  const feed = yield* Feed
  const config = yield* Configuration

  return (confirmations: AwaitedConfirmations) => {
    const horizon = Effect.suspend(() =>
      confirmations === "finalized" ? finalBlock(reads, config.get(reorgDepth)) : confirmedBlock(reads, confirmations),
    )

    const retractions = ([first]: ReadonlyArray<LoggedEvent>) =>
      first === undefined
        ? Effect.succeed(() => false)
        : Effect.map(ForkStore.forksAfter(reads, first.seq), (forks) => {
            const isRetracted = ForkStore.retractedBy(forks)
            return (event: LoggedEvent) => isRetracted(event.seq, blockOf(event) ?? 0n)
          })

    /** How many of these entries, in order, may be sent: up to the first that is in a later block. */
    const certain = Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
      // First, because an entry that is still canonical afterwards has the confirmations that this says.
      const block = yield* horizon
      const isLater = (event: LoggedEvent) => (blockOf(event) ?? -1n) > block
      if (!events.some(isLater)) return events.length
      const isRetracted = yield* retractions(events)
      const first = events.findIndex((event) => isLater(event) && !isRetracted(event))
      return first < 0 ? events.length : first
    })

    /** Retracted entries have no messages, and messages say what they waited for. */
    const render = Effect.fnUntraced(function* (events: ReadonlyArray<LoggedEvent>) {
      const entries = yield* feed.render(events)
      // After the rows, as in the feed.
      const isRetracted = yield* retractions(events)
      return entries.map((entry, index): FeedEntry => {
        const event = events[index]
        if (event !== undefined && isRetracted(event)) return { ...entry, messages: [] }
        return { ...entry, messages: entry.messages.map((message) => ({ ...message, confirmations })) }
      })
    })

    return {
      certain,
      render,
      /** An entry before which everything is certain: that of the newest certain block, or an old one. */
      start: Effect.gen(function* () {
        const block = yield* horizon
        const since = yield* log.recordedBefore((yield* Clock.currentTimeMillis) - longestWaitMillis)
        const blocks = yield* log.read({ after: since, limit: 100, kinds: ["block"], refs: [BigInt(block)] })
        const newest = blocks.at(-1)
        return { seq: Number(newest?.seq ?? since), at: newest?.recordedAt ?? 0 }
      }),
    }
  }
})
