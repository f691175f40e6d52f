import { Effect, Metric } from "effect"

const counterOf = (upstream: string) =>
  Metric.counter("presage_oracle_undecodable_total", {
    description: "Messages and rows of the oracles that made no sense and were passed over",
    incremental: true,
    attributes: { upstream },
  })

const sampleLength = 200

/** Counts and logs what could not be read; the stream goes on. */
export const passOver = (upstream: string, reason: string, sample: unknown) => {
  const text = typeof sample === "string" ? sample : (JSON.stringify(sample) ?? "")
  return Effect.andThen(
    Metric.update(counterOf(upstream), 1),
    Effect.logWarning(`${upstream}: passed over: ${reason.replace(/\s+/g, " ").slice(0, sampleLength)}`, {
      sample: text.slice(0, sampleLength),
    }),
  )
}
