import { Effect, Layer, Metric, Schedule } from "effect"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { SourceStatus, SourcesReport } from "./model.ts"
import { Status } from "./Status.ts"

const gaugeOf = (name: string, description: string) => (source: string) =>
  Metric.gauge(`presage_source_${name}`, { description, attributes: { source } })

const age = gaugeOf("data_age_seconds", "Age of the newest data of a source")
const lag = gaugeOf("lag", "Blocks, books or events that are still to be read from a source")
const openGaps = gaugeOf("gaps_open", "Time ranges that a source may still fill")
const lostGaps = gaugeOf("gaps", "Time ranges that a source never filled")

const balanceDifferences = Metric.gauge("presage_ledger_balance_differences", {
  description: "Balances of sampled wallets that differ from those on the node, in the last comparison",
})

/** Without a comparison the metric keeps its value, or is missing. */
const updateBalances = ({ state, differences }: SourcesReport["balances"]) =>
  state === "unknown" ? Effect.void : Metric.update(balanceDifferences, differences)

const update = (status: SourceStatus) =>
  Effect.gen(function* () {
    const { source, gaps } = status
    if (status.age_seconds !== null) yield* Metric.update(age(source), status.age_seconds)
    if (status.lag !== null) yield* Metric.update(lag(source), status.lag)
    if (gaps === null) return
    yield* Metric.update(openGaps(source), gaps.open)
    yield* Metric.update(lostGaps(source), gaps.lost)
  })

/** The same metrics for every source, so that one alert rule covers all of them. */
export const sourceMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    const status = yield* Status
    const once = Effect.flatMap(status.sources, ({ sources, balances }) =>
      Effect.andThen(updateBalances(balances), Effect.forEach(sources, update, { discard: true })),
    ).pipe(Effect.catch((error) => Effect.logDebug(`failed to update the source metrics: ${describe(error)}`)))
    yield* Effect.forkScoped(Effect.repeat(once, Schedule.spaced("5 seconds")))
  }),
)
