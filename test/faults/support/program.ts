import { Effect, Logger } from "effect"
import { runMain } from "#src/platform/process/runMain.ts"
import { freezes } from "../rows/freezes.ts"
import { kills } from "../rows/kills.ts"
import type { Outcome } from "./Row.ts"
import { report } from "./report.ts"
import { isGood } from "./runRow.ts"
import { runRows } from "./runRows.ts"

const shared = [...kills, ...freezes]
const names = shared.map(({ name }) => name)

const print = (text: string) => void process.stdout.write(`${text}\n`)

const usage = `FAULTS_SEEDS=1,2,3 FAULTS_PATIENCE=1 npm run test:faults [-- part of a name…]\n\n${names.map((name) => `  ${name}`).join("\n")}`

const requested = (words: ReadonlyArray<string>) => {
  const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
  const unknown = words.filter((word) => !names.some((name) => name.includes(word)))
  if (unknown.length > 0) {
    print(`no fault is named ${unknown.join(", ")}\n${usage}`)
    process.exit(2)
  }
  return { shared: shared.filter(({ name }) => isWanted(name)) }
}

const seeds = (process.env.FAULTS_SEEDS ?? "1,2,3").split(",").map(Number)

const all = Effect.gen(function* () {
  const rows = requested(process.argv.slice(2))
  const outcomes: Array<Outcome> = []
  const started = performance.now()
  for (const seed of seeds) {
    yield* runRows(rows.shared, seed, (outcome) => {
      outcomes.push(outcome)
      process.stderr.write(`${report([outcome]).split("\n").slice(1).join("\n")}\n`)
    })
  }
  print(report(outcomes))
  const bad = outcomes.filter((outcome) => !isGood(outcome)).length
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  print(`\n${outcomes.length - bad} of ${outcomes.length} rows are good, after ${minutes} minutes`)
  process.exit(bad === 0 ? 0 : 1)
})

export const main = () => runMain(Effect.provide(all, Logger.layer([])))
