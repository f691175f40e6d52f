import { Effect, Layer } from "effect"
import { Command } from "effect/unstable/cli"
import { migrations } from "#migrations/index.ts"
import { describeDifference, describeFigures } from "#src/balances/describe.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { clients, Stores } from "#src/roles/Stores.ts"
import type { SourceStatus, SourcesReport } from "#src/status/model.ts"
import { Status } from "#src/status/Status.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { print, printJson, table } from "./print.ts"

const units = [
  ["days", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const

/** A rounded duration: 1.4 s, 12 min, 5 h. */
const approximate = (seconds: number | null): string => {
  if (seconds === null) return "-"
  const unit = units.find(([, length]) => seconds >= 2 * length)
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`
}

const detailsOf = ({ details }: SourceStatus): string =>
  Object.entries(details)
    .filter(([name]) => name !== "note")
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value ?? "-"}`)
    .join(", ")

const rowOf = (status: SourceStatus): ReadonlyArray<string> => [
  status.source,
  status.state,
  approximate(status.age_seconds),
  status.lag === null ? "-" : String(status.lag),
  String(status.rows_per_second),
  status.gaps === null ? "-" : `${status.gaps.open}/${status.gaps.lost}`,
  String(status.reconnects),
  String(status.undecodable),
  approximate(status.reported_seconds_ago),
  detailsOf(status),
]

const header = [
  "SOURCE",
  "STATE",
  "AGE",
  "LAG",
  "ROWS/S",
  "GAPS OPEN/LOST",
  "RECONNECTS",
  "UNREADABLE",
  "REPORTED",
  "DETAILS",
]

const describeBalances = (balances: SourcesReport["balances"]): string =>
  balances.state === "unknown"
    ? `balances were not compared with the node: ${balances.reason}`
    : [describeFigures(balances), ...balances.samples.map((each) => `  ${describeDifference(each)}`)].join("\n")

type Covered = SourcesReport["coverage"]["facts"]

const sinceOf = (covered: NonNullable<Covered>) =>
  `${new Date(covered.from_time * 1000).toISOString().slice(0, 16).replace("T", " ")} (block ${covered.from_block})`

const describeCoverage = ({ facts, positions }: SourcesReport["coverage"]): string => {
  if (facts === null || positions === null) return "the ledger is empty"
  if (positions.complete) return "the ledger has the whole history of the venue"
  return `the ledger has trades since ${sinceOf(facts)}; positions and leaderboards count them since ${sinceOf(positions)}`
}

const notesOn = ({ sources, circuits_open, coverage, balances }: SourcesReport): ReadonlyArray<string> => {
  const reportAges = sources.flatMap(({ reported_seconds_ago }) => reported_seconds_ago ?? [])
  const stopped = sources.every(({ state }) => state === "stopped" || state === "unknown")
  const undecodable = sources.flatMap(({ source, last_undecodable: last }) =>
    last === null
      ? []
      : [`${source}: unreadable ${last.what} at ${new Date(last.at).toISOString()}: ${last.reason}\n  ${last.sample}`],
  )
  return [
    ...(stopped && reportAges.length === 0
      ? ["no source has been followed yet: start Presage with `presage start`"]
      : []),
    ...(stopped && reportAges.length > 0
      ? [`no process follows any source: the numbers are from ${approximate(Math.min(...reportAges))} ago`]
      : []),
    ...(circuits_open.length > 0 ? [`circuit open after repeated failures: ${circuits_open.join(", ")}`] : []),
    ...undecodable,
    describeCoverage(coverage),
    ...sources.flatMap(({ source, details: { note = null } }) => (note === null ? [] : [`${source}: ${note}`])),
    describeBalances(balances),
  ]
}

export const status = Command.make("status", { json, set }, (flags) =>
  Effect.gen(function* () {
    const { databaseUrl } = yield* Stores
    yield* migrate(databaseUrl, migrations)
    const report = yield* Effect.provide(
      Effect.flatMap(Status, ({ sources }) => sources),
      Status.layer.pipe(Layer.provide(EventTail.layer), Layer.provide(EventLog.layer)),
    )
    if (flags.json) return yield* printJson(report)
    yield* print(table(header, report.sources.map(rowOf)))
    for (const note of notesOn(report)) yield* print(`\n${note}`)
  }).pipe(
    Effect.provide(clients.pipe(Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(configured(flags.set)))),
  ),
).pipe(Command.withDescription(descriptions.status))
