import { Effect, Layer, Metric, Schedule } from "effect"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { SourceStatus } from "./model.ts"
import { Status } from "./Status.ts"

const gaugeOf = (name: string, description: string) => (source: string) =>
  Metric.gauge(`presage_source_${name}`, { description, attributes: { source } })

const age = gaugeOf("data_age_seconds", "Time since the moment that the newest data of a source are of")
const lag = gaugeOf("lag", "What is still to be read from a source: blocks, books, events")
const openGaps = gaugeOf("gaps_open", "Stretches that a source has not given yet")
const lostGaps = gaugeOf("gaps", "Stretches that a source never gave")

const show = (status: SourceStatus) =>
  Effect.gen(function* () {
    const { source, gaps } = status
    if (status.age_seconds !== null) yield* Metric.update(age(source), status.age_seconds)
    if (status.lag !== null) yield* Metric.update(lag(source), status.lag)
    if (gaps === null) return
    yield* Metric.update(openGaps(source), gaps.open)
    yield* Metric.update(lostGaps(source), gaps.lost)
  })

/** The same few metrics for every source, whoever follows it, so that one rule can watch all of them. */
export const sourceMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const status = yield* Status
    const once = Effect.flatMap(status.sources, ({ sources }) => Effect.forEach(sources, show, { discard: true })).pipe(
      Effect.catch((error) => Effect.logDebug(`metrics of sources: ${describe(error)}`)),
    )
    yield* Effect.forkScoped(Effect.repeat(once, Schedule.spaced("5 seconds")))
  }),
)
