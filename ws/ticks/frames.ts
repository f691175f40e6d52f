import { exactPrice } from "#src/domain/amounts.ts"
import { feedName, tickId } from "#src/domain/Tick.ts"
import type { FeedMemory, LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { twapAt } from "#src/ticks/live/twap.ts"
import { Frame } from "../channel/Frame.ts"
import { secondsOf, type TickWindow } from "./tickRequest.ts"

/** `isAfterGap`: earlier ticks were not sent. */
const textOf = (tick: LiveTick, memory: FeedMemory, window: TickWindow, isAfterGap: boolean): string => {
  const feed = feedName(tick.coin)
  const timestamp = Math.floor(tick.at / 1000)
  const isAveraged = window !== "own"
  const seconds = secondsOf(tick.source, window)
  const average = { is_twap: seconds !== undefined, twap_window_seconds: seconds ?? null }
  const quote = (isAveraged ? twapAt(memory.ticks, memory.indexAfter(tick.at) - 1, window) : undefined) ?? tick
  return JSON.stringify({
    type: "price_feed",
    id: isAveraged ? tickId(tick.source, tick, window) : tick.id,
    feed,
    timestamp,
    timestamp_ms: tick.at,
    source: tick.source,
    ...average,
    ...(isAfterGap ? { gap: true } : {}),
    data: {
      feed,
      price: exactPrice(quote.price),
      bid: exactPrice(quote.bid),
      ask: exactPrice(quote.ask),
      timestamp,
      ...average,
    },
  })
}

/** Caches the frames of ticks: live delivery and replays encode each one once. */
export class TickFrames {
  readonly #cache = new WeakMap<LiveTick, Map<TickWindow, Frame>>()

  of(tick: LiveTick, memory: FeedMemory, window: TickWindow): Frame {
    let frames = this.#cache.get(tick)
    if (frames === undefined) {
      frames = new Map()
      this.#cache.set(tick, frames)
    }
    let frame = frames.get(window)
    if (frame === undefined) {
      frame = new Frame(textOf(tick, memory, window, tick.isAfterGap))
      frames.set(window, frame)
    }
    return frame
  }

  /** For a subscriber that skipped earlier ticks. */
  afterGap(tick: LiveTick, memory: FeedMemory, window: TickWindow): Frame {
    return new Frame(textOf(tick, memory, window, true))
  }
}
