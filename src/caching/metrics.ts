import { type Context, Metric } from "effect"

/** `hit`: from memory. `shared`: from another process. `load`: newly loaded. */
export type AnswerOrigin = "hit" | "shared" | "load" | "stale" | "failed"

const answers = (name: string, outcome: AnswerOrigin) =>
  Metric.counter("presage_cache_answers_total", {
    description: "Cached answers by origin; `failed` had no older answer to serve",
    incremental: true,
    attributes: { name, outcome },
  })
const memory = Metric.gauge("presage_cache_memory_bytes", { description: "Bytes of answers in memory" })

/** Updated without Effects, because they are on the path of every request. */
export const cacheMetrics = (context: Context.Context<never>) => {
  const counters = new Map<string, Readonly<Record<AnswerOrigin, Metric.Counter<number>>>>()
  const countersOf = (name: string) => {
    const found = counters.get(name)
    if (found !== undefined) return found
    const made = {
      hit: answers(name, "hit"),
      shared: answers(name, "shared"),
      load: answers(name, "load"),
      stale: answers(name, "stale"),
      failed: answers(name, "failed"),
    }
    counters.set(name, made)
    return made
  }
  return {
    count: (name: string, origin: AnswerOrigin) => countersOf(name)[origin].updateUnsafe(1, context),
    memory: (bytes: number) => memory.updateUnsafe(bytes, context),
  }
}

export type CacheMetrics = ReturnType<typeof cacheMetrics>
