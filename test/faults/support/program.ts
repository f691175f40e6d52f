import { Effect, Logger } from "effect"
import { runMain } from "#src/platform/process/runMain.ts"
import { backlogs } from "../rows/backlog.ts"
import { clocks, clocksOfPostgres } from "../rows/clocks.ts"
import { crowds } from "../rows/crowds.ts"
import { directories } from "../rows/directories.ts"
import { disks, storeDisks } from "../rows/disks.ts"
import { freezes } from "../rows/freezes.ts"
import { interruptions } from "../rows/interruptions.ts"
import { kills } from "../rows/kills.ts"
import { networkFaults } from "../rows/network.ts"
import { postgresFaults } from "../rows/postgres.ts"
import { redisFaults } from "../rows/redis.ts"
import { venueFaults } from "../rows/venue.ts"
import { versions } from "../rows/versions.ts"
import { startHome } from "./home.ts"
import type { Outcome, Row } from "./Row.ts"
import { report } from "./report.ts"
import { isGood } from "./runRow.ts"
import { type Group, type Judgeable, runRows } from "./runRows.ts"
import { startService } from "./service.ts"
import { startOnShiftedPostgres, startShiftedService } from "./shiftedService.ts"
import { startOnSmallDisk, startOnStoreDisks } from "./smallDisk.ts"

const withRoles = [
  ...kills,
  ...freezes,
  ...redisFaults,
  ...postgresFaults,
  ...venueFaults,
  ...networkFaults,
  ...crowds,
  ...backlogs,
]

const seeds = (process.env.FAULTS_SEEDS ?? "1,2,3").split(",").map(Number)
/** Services at a time: most rows wait for something most of the time. */
const atATime = Number(process.env.FAULTS_AT_A_TIME ?? 2)

type OnOutcome = (outcome: Outcome) => void

/** The rows of a group that were asked for, ready to run. */
const group = <S extends Judgeable>({ rows, start }: Group<S>) => ({
  names: rows.map(({ name }) => name),
  run: (isWanted: (row: Row<S>) => boolean, seed: number, onOutcome: OnOutcome) => {
    const isDue = (row: Row<S>) => isWanted(row) && (seed === seeds[0] || !(row.isOnce ?? false))
    return runRows({ rows: rows.filter(isDue), start }, seed, onOutcome)
  },
})

const groups = [
  group({ rows: withRoles, start: (seed) => startService(seed) }),
  group({ rows: [...directories, ...interruptions, ...versions], start: (seed) => startHome(seed) }),
  group({ rows: disks, start: startOnSmallDisk }),
  group({ rows: storeDisks, start: startOnStoreDisks }),
  group({ rows: clocks, start: startShiftedService }),
  group({ rows: clocksOfPostgres, start: startOnShiftedPostgres }),
]
const names = groups.flatMap((each) => each.names)

const print = (text: string) => void process.stdout.write(`${text}\n`)

const usage = [
  "FAULTS_SEEDS=1,2,3 FAULTS_PATIENCE=1 npm run test:faults [-- part of a name…]",
  "",
  ...names.map((name) => `  ${name}`),
].join("\n")

const wanted = (words: ReadonlyArray<string>) => {
  const unknown = words.filter((word) => !names.some((name) => name.includes(word)))
  if (unknown.length > 0) {
    print(`no fault is named ${unknown.join(", ")}\n${usage}`)
    process.exit(2)
  }
  return ({ name }: { readonly name: string }) => words.length === 0 || words.some((word) => name.includes(word))
}

const all = Effect.gen(function* () {
  const isWanted = wanted(process.argv.slice(2))
  const outcomes: Array<Outcome> = []
  const started = performance.now()
  const note = (outcome: Outcome) => {
    outcomes.push(outcome)
    process.stderr.write(`${report([outcome]).split("\n").slice(1).join("\n")}\n`)
  }
  const runs = seeds.flatMap((seed) => groups.map(({ run }) => run(isWanted, seed, note)))
  yield* Effect.all(runs, { concurrency: atATime, discard: true })
  print(report(outcomes))
  const bad = outcomes.filter((outcome) => !isGood(outcome)).length
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  print(`\n${outcomes.length - bad} of ${outcomes.length} rows are good, after ${minutes} minutes`)
  process.exit(bad === 0 ? 0 : 1)
})

export const main = () => runMain(Effect.provide(all, Logger.layer([])))
