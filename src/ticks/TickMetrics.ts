import { type Context, Metric } from "effect"
import type { Coin, TickSource } from "#src/domain/Tick.ts"

interface Counted {
  readonly name: string
  readonly description: string
}

const counted = (name: string, description: string): Counted => ({ name: `presage_tick_${name}`, description })

const received = counted("received_total", "Ticks that came live and were new")
const duplicates = counted("duplicates_total", "Ticks that had come before")
const quarantined = counted("quarantined_total", "Ticks whose time or price cannot be right, by reason")
const gaps = counted("gap_seconds_total", "Seconds for which no tick ever came")
const refills = counted("refills_total", "Stretches asked for again, by how it ended")
const refilled = counted("refilled_total", "Ticks that came from a history or snapshot and were new")
const disconnects = counted("disconnects_total", "Connections to a source that ended, by reason")
const unpublished = counted("unpublished_total", "Ticks that Redis did not take")
const ageOf = (attributes: Record<string, string>) =>
  Metric.gauge("presage_tick_age_seconds", { description: "Time since the newest tick's own moment", attributes })
const publishing = (attributes: Record<string, string>) =>
  Metric.histogram("presage_tick_publish_seconds", {
    description: "Time from the arrival of ticks until Redis has them",
    boundaries: Metric.exponentialBoundaries({ start: 0.0005, factor: 2, count: 14 }),
    attributes,
  })

/** The metrics of one source; each is made once. */
export const tickMetrics = (source: TickSource, context: Context.Context<never>) => {
  const made = new Map<string, Metric.Counter<number>>()
  const add = ({ name, description }: Counted, label: Record<string, string>, amount: number) => {
    if (amount === 0) return
    const key = [name, ...Object.values(label)].join(" ")
    let counter = made.get(key)
    if (counter === undefined) {
      counter = Metric.counter(name, { description, incremental: true, attributes: { source, ...label } })
      made.set(key, counter)
    }
    counter.updateUnsafe(amount, context)
  }
  const published = publishing({ source })
  const ages = new Map<Coin, Metric.Gauge<number>>()
  return {
    received: (feed: Coin) => add(received, { feed }, 1),
    duplicate: (feed: Coin) => add(duplicates, { feed }, 1),
    quarantined: (reason: string, amount: number) => add(quarantined, { reason }, amount),
    gap: (feed: Coin, seconds: number) => add(gaps, { feed }, seconds),
    refill: (outcome: string) => add(refills, { outcome }, 1),
    refilled: (feed: Coin, amount: number) => add(refilled, { feed }, amount),
    disconnected: (reason: string) => add(disconnects, { reason }, 1),
    unpublished: (amount: number) => add(unpublished, {}, amount),
    published: (seconds: number) => published.updateUnsafe(seconds, context),
    age: (feed: Coin, seconds: number) => {
      const gauge = ages.get(feed) ?? ageOf({ source, feed })
      ages.set(feed, gauge)
      gauge.updateUnsafe(seconds, context)
    },
  }
}

export type TickMetrics = ReturnType<typeof tickMetrics>
