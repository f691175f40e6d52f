import { mkdirSync, writeFileSync } from "node:fs"
import { arch, cpus, loadavg } from "node:os"
import { join } from "node:path"
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
import { history } from "./history.ts"
import { http } from "./http.ts"
import { ingestion } from "./ingestion.ts"
import { jobs } from "./jobs.ts"
import { limits } from "./limits.ts"
import { live } from "./live.ts"
import { simulator } from "./simulator.ts"
import { sports } from "./sports.ts"
import { start } from "./start.ts"
import { streams } from "./streams.ts"
import type { Bench } from "./support/Bench.ts"
import { isReached, type Report, renderReport } from "./support/report.ts"
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
}
const defaultTimeout = "600 seconds"
/** These may have to build a large ledger first. */
const timeouts: Readonly<Record<string, Duration.Input>> = {
  exports: "4 hours",
  boards: "4 hours",
  "copy-pnl": "4 hours",
  wallets: "4 hours",
  v3: "4 hours",
  catalogue: "4 hours",
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

const save = (reports: Readonly<Record<string, Report>>) => {
  const folder = join(import.meta.dirname, "results")
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  const machine = { node: process.version, arch: arch(), cpus: cpus().length, load: loadavg() }
  const file = join(folder, `${at.replaceAll(":", "-")}.json`)
  writeFileSync(file, `${JSON.stringify({ at, machine, reports }, null, 2)}\n`)
  return file
}

const measure = (name: string, bench: Bench) =>
  Effect.gen(function* () {
    const since = performance.now()
    const report = yield* bench
    print(renderReport(`${name} (${Math.round((performance.now() - since) / 1000)} s)`, report))
    return report
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

const main = Effect.gen(function* () {
  const requested = process.argv.slice(2)
  const unknown = requested.filter((name) => benches[name] === undefined)
  if (unknown.length > 0) {
    print(`unknown bench ${unknown.join(", ")}; available: ${Object.keys(benches).join(", ")}`)
    return yield* Effect.sync(() => process.exit(2))
  }
  const reports: Record<string, Report> = {}
  const failed: Array<string> = []
  for (const [name, bench] of Object.entries(benches)) {
    if (requested.length > 0 && !requested.includes(name)) continue
    const report = yield* measure(name, bench)
    if (report === undefined) failed.push(name)
    else reports[name] = report
  }
  const goals = Object.values(reports).flatMap(({ lines }) => lines.map(isReached).filter((each) => each !== undefined))
  const file = save(reports)
  print(`${goals.filter((reached) => reached).length} of ${goals.length} goals reached; results in ${file}`)
  // A missed goal is a result; a bench that does not run is an error.
  if (failed.length > 0) yield* Effect.sync(() => process.exit(1))
})

runMain(Effect.provide(main, Logger.layer([])))
