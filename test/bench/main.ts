import { parseArgs } from "node:util"
import { Cause, type Duration, Effect, Logger } from "effect"
import { runMain } from "#src/platform/process/runMain.ts"
import { access } from "./access.ts"
import { boards } from "./boards.ts"
import { bulk } from "./bulk.ts"
import { cached } from "./cached.ts"
import { catalogue } from "./catalogue.ts"
import { copyPnl } from "./copyPnl.ts"
import { eventLog } from "./eventLog.ts"
import { exports } from "./exports.ts"
import { fairness } from "./fairness.ts"
import { history } from "./history.ts"
import { http } from "./http.ts"
import { ingestion } from "./ingestion.ts"
import { jobs } from "./jobs.ts"
import { limits } from "./limits.ts"
import { live } from "./live.ts"
import { simulator } from "./simulator.ts"
import { sports } from "./sports.ts"
import { start } from "./start.ts"
import { statements } from "./statements.ts"
import { streams } from "./streams.ts"
import type { Bench } from "./support/Bench.ts"
import { refusals, renderChanges } from "./support/compare.ts"
import { isReached, renderReport } from "./support/report.ts"
import { busyShare, load, type MeasuredReport, machine, type Result, save } from "./support/results.ts"
import { ticks } from "./ticks.ts"
import { v3 } from "./v3.ts"
import { wallets } from "./wallets.ts"
import { webhooks } from "./webhooks.ts"

const benches: Readonly<Record<string, Bench>> = {
  start,
  jobs,
  http,
  bulk,
  "event-log": eventLog,
  simulator,
  ingestion,
  history,
  live,
  limits,
  fairness,
  access,
  ticks,
  cached,
  streams,
  webhooks,
  exports,
  boards,
  "copy-pnl": copyPnl,
  wallets,
  v3,
  catalogue,
  sports,
  statements,
}
const defaultTimeout = "600 seconds"
/** Most of these may have to build a large ledger first. */
const timeouts: Readonly<Record<string, Duration.Input>> = {
  exports: "4 hours",
  boards: "4 hours",
  "copy-pnl": "4 hours",
  wallets: "4 hours",
  v3: "4 hours",
  catalogue: "4 hours",
  statements: "4 hours",
  // A fresh world of 61,000 markets is not at rest for minutes.
  sports: "20 minutes",
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

const measure = (name: string, bench: Bench) =>
  Effect.gen(function* () {
    const busy = yield* busyShare
    const since = performance.now()
    const report = yield* bench
    print(renderReport(`${name} (${Math.round((performance.now() - since) / 1000)} s)`, report))
    return { ...report, busy } satisfies MeasuredReport
  }).pipe(
    Effect.scoped,
    Effect.timeout(timeouts[name] ?? defaultTimeout),
    Effect.catchCause((cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) print(`\n${name} failed\n${Cause.pretty(cause)}`)
        return undefined
      }),
    ),
  )

/** Prints what got worse; false if the two results cannot be compared. */
const compare = (earlier: Result, later: Result) => {
  const reasons = refusals(earlier, later)
  if (reasons.length === 0) print(renderChanges(earlier, later))
  else print(["these results cannot be compared:", ...reasons.map((each) => `  ${each}`)].join("\n"))
  return reasons.length === 0
}

const exit = (code: number) => Effect.sync(() => process.exit(code))

const usage = `npm run bench -- [--compare <earlier result> [--with <later result>]] [${Object.keys(benches).join(" | ")}]…`

const argumentsOf = (args: Array<string>) => {
  const options = { compare: { type: "string" }, with: { type: "string" } } as const
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const unknown = positionals.filter((name) => benches[name] === undefined)
    if (unknown.length > 0) throw new Error(`unknown bench ${unknown.join(", ")}`)
    if (values.with !== undefined && values.compare === undefined) throw new Error("--with needs --compare")
    const [earlier, later] = [values.compare, values.with].map((file) => (file === undefined ? undefined : load(file)))
    return { requested: positionals, earlier, later }
  } catch (error) {
    print(`${error instanceof Error ? error.message : error}\n${usage}`)
    return process.exit(2)
  }
}

const main = Effect.gen(function* () {
  const { requested, earlier, later } = argumentsOf(process.argv.slice(2))
  if (earlier !== undefined && later !== undefined) return yield* exit(compare(earlier, later) ? 0 : 1)
  const measuredOn = machine()
  const reports: Record<string, MeasuredReport> = {}
  const failed: Array<string> = []
  for (const [name, bench] of Object.entries(benches)) {
    if (requested.length > 0 && !requested.includes(name)) continue
    const report = yield* measure(name, bench)
    if (report === undefined) failed.push(name)
    else reports[name] = report
  }
  const goals = Object.values(reports).flatMap(({ lines }) => lines.map(isReached).filter((each) => each !== undefined))
  const file = save(measuredOn, reports)
  print(`${goals.filter((reached) => reached).length} of ${goals.length} goals reached; results in ${file}`)
  const isComparable = earlier === undefined || compare(earlier, load(file))
  // A missed goal is a result; a bench that does not run is an error.
  if (failed.length > 0 || !isComparable) yield* exit(1)
})

runMain(Effect.provide(main, Logger.layer([])))
