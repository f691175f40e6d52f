import { type Coin, readTickId, type TickSource, tickId } from "#src/domain/Tick.ts"
import type { LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import type { Recorder } from "./recordingSubscriber.ts"

export const beginning = 1_794_700_800_000

export const tickAt = (source: TickSource, coin: Coin, second: number, isAfterGap = false): LiveTick => {
  const at = beginning + second * 1000
  const price = 100_000_000n * BigInt(second)
  return { coin, source, at, id: tickId(source, { coin, at }), ...quoteOf(price), isAfterGap }
}

/** The received price frames, reduced to their identifying fields. */
export const pricesOf = ({ received }: Pick<Recorder, "received">) =>
  received.flatMap((message) => {
    if (message["type"] !== "price_feed") return []
    const { at, coin } = readTickId(String(message["id"]))
    return [{ at, coin, window: message["twap_window_seconds"] ?? "spot", gap: message["gap"] === true }]
  })
