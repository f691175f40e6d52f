import { Effect, Metric } from "effect"

const counterOf = (upstream: string) =>
  Metric.counter("presage_oracle_undecodable_total", {
    description: "Messages and rows of the oracles that made no sense and were passed over",
    incremental: true,
    attributes: { upstream },
  })

const sampleLength = 200

/** Counts and logs what could not be read, of which there may be very much at once; the stream goes on. */
export const passOver = (
  upstream: string,
  failures: ReadonlyArray<{ readonly reason: string; readonly item: unknown }>,
) => {
  const [first] = failures
  if (first === undefined) return Effect.void
  const sample = typeof first.item === "string" ? first.item : (JSON.stringify(first.item) ?? "")
  return Effect.andThen(
    Metric.update(counterOf(upstream), failures.length),
    Effect.logWarning(
      `${upstream}: passed over ${failures.length}: ${first.reason.replace(/\s+/g, " ").slice(0, sampleLength)}`,
      { sample: sample.slice(0, sampleLength) },
    ),
  )
}
