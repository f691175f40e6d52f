import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { arch, cpus, loadavg } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Report } from "./report.ts"

const root = join(import.meta.dirname, "../../..")
const folder = join(root, "test/bench/results")

const Goal = Schema.Union([
  Schema.Struct({ share: Schema.Number }),
  Schema.Struct({ least: Schema.Number }),
  Schema.Struct({ most: Schema.Number }),
])

const SavedLine = Schema.Struct({
  what: Schema.String,
  unit: Schema.String,
  ours: Schema.Number,
  ratio: Schema.optionalKey(Schema.Struct({ to: Schema.String, value: Schema.Number })),
  goal: Schema.optionalKey(Goal),
})
export type SavedLine = (typeof SavedLine)["Type"]

const Machine = Schema.Struct({
  node: Schema.String,
  arch: Schema.String,
  cpu: Schema.String,
  cpus: Schema.Number,
  /** Load average of the last minute before the first bench. */
  load: Schema.Number,
})

/** What a run saves, without the raw results of its rounds. */
const Result = Schema.Struct({
  at: Schema.String,
  commit: Schema.String,
  machine: Machine,
  reports: Schema.Record(
    Schema.String,
    Schema.Struct({ busy: Schema.Number, lines: Schema.Array(SavedLine), notes: Schema.Array(Schema.String) }),
  ),
})
export type Result = (typeof Result)["Type"]

/** A report, and the share of the processors that other programs used just before. */
export type MeasuredReport = Report & { readonly busy: number }

export const machine = (): Result["machine"] => ({
  node: process.version,
  arch: arch(),
  cpu: cpus()[0]?.model ?? "unknown",
  cpus: cpus().length,
  load: loadavg()[0] ?? 0,
})

/** The commit that is measured; `+` marks uncommitted changes. */
const commit = () => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
  return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`
}

const processorTimes = () => {
  const times = cpus().map((each) => each.times)
  const idle = times.reduce((sum, each) => sum + each.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0) }
}

/** The share of all processors in use during two seconds, while no bench runs. */
export const busyShare = Effect.gen(function* () {
  const before = processorTimes()
  yield* Effect.sleep("2 seconds")
  const after = processorTimes()
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all)
})

/** Written without the schema, which leaves the raw rounds out. */
export const save = (measuredOn: Result["machine"], reports: Readonly<Record<string, MeasuredReport>>) => {
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  const file = join(folder, `${at.replaceAll(":", "-")}.json`)
  writeFileSync(file, `${JSON.stringify({ at, commit: commit(), machine: measuredOn, reports }, null, 2)}\n`)
  return file
}

export const load = (file: string): Result =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Result))(readFileSync(file, "utf8"))
