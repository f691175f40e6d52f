import { type Context, Metric } from "effect"
import type { Coin, TickSource } from "#src/domain/Tick.ts"

interface CounterSpec {
  readonly name: string
  readonly description: string
}

const counterSpec = (name: string, description: string): CounterSpec => ({ name: `presage_tick_${name}`, description })

const received = counterSpec("received_total", "New live ticks")
const duplicates = counterSpec("duplicates_total", "Ticks received more than once")
const quarantined = counterSpec("quarantined_total", "Ticks rejected for an implausible time or price, by reason")
const gaps = counterSpec("gap_seconds_total", "Seconds without a tick at the source")
const refills = counterSpec("refills_total", "Refill requests, by result")
const refilled = counterSpec("refilled_total", "New ticks from a history page or snapshot")
const disconnects = counterSpec("disconnects_total", "Lost connections to a source, by reason")
const unpublished = counterSpec("unpublished_total", "Ticks not published to Redis")
const ageOf = (attributes: Record<string, string>) =>
  Metric.gauge("presage_tick_age_seconds", { description: "Time since the timestamp of the newest tick", attributes })
const publishing = (attributes: Record<string, string>) =>
  Metric.histogram("presage_tick_publish_seconds", {
    description: "Time from receiving ticks to their publication in Redis",
    boundaries: Metric.exponentialBoundaries({ start: 0.0005, factor: 2, count: 14 }),
    attributes,
  })

/** Metrics of one source; each is created once. */
export const tickMetrics = (source: TickSource, context: Context.Context<never>) => {
  const counters = new Map<string, Metric.Counter<number>>()
  const add = ({ name, description }: CounterSpec, label: Record<string, string>, amount: number) => {
    if (amount === 0) return
    const key = [name, ...Object.values(label)].join(" ")
    let counter = counters.get(key)
    if (counter === undefined) {
      counter = Metric.counter(name, { description, incremental: true, attributes: { source, ...label } })
      counters.set(key, counter)
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
