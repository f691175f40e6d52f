import { Effect, Metric } from "effect"

const counterOf = (upstream: string) =>
  Metric.counter("presage_upstream_undecodable_total", {
    description: "Rows and messages of upstreams that could not be read and were passed over",
    incremental: true,
    attributes: { upstream, what: "tick" },
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
