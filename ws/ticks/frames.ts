import { exactPrice } from "#src/domain/amounts.ts"
import { feedName } from "#src/domain/Tick.ts"
import type { LiveTick, Memory } from "#src/ticks/live/Memory.ts"
import { twapAt } from "#src/ticks/live/twap.ts"
import { Frame } from "../Frame.ts"
import type { Window } from "./wanted.ts"

/** A tick as it is sent; `isAfterGap` when ticks before it were not. */
const textOf = (tick: LiveTick, memory: Memory, window: Window, isAfterGap: boolean): string => {
  const feed = feedName(tick.coin)
  const timestamp = Math.floor(tick.at / 1000)
  const isAverage = window !== "spot"
  const average = { is_twap: isAverage, twap_window_seconds: isAverage ? window : null }
  const quote = (isAverage ? twapAt(memory.ticks, memory.placeAfter(tick.at) - 1, window) : undefined) ?? tick
  return JSON.stringify({
    type: "price_feed",
    id: tick.id,
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

/** The frames of ticks, each made once however many get it, live or later. */
export class Frames {
  readonly #made = new WeakMap<LiveTick, Map<Window, Frame>>()

  of(tick: LiveTick, memory: Memory, window: Window): Frame {
    let frames = this.#made.get(tick)
    if (frames === undefined) {
      frames = new Map()
      this.#made.set(tick, frames)
    }
    let frame = frames.get(window)
    if (frame === undefined) {
      frame = new Frame(textOf(tick, memory, window, tick.isAfterGap))
      frames.set(window, frame)
    }
    return frame
  }

  /** For somebody who was not told of those before it. */
  afterGap(tick: LiveTick, memory: Memory, window: Window): Frame {
    return new Frame(textOf(tick, memory, window, true))
  }
}
