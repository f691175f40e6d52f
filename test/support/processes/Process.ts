import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect } from "effect"
import { poll } from "#src/platform/embedded/waiting.ts"
import { patient } from "../patience.ts"
import { quickNode } from "./quickNode.ts"
import type { Kind, Report } from "./report.ts"

const root = join(import.meta.dirname, "..", "..", "..")

export interface Wanted<K extends Kind> {
  /** Milliseconds. */
  readonly within: number
  /** Number of reports to skip. */
  readonly from?: number
  readonly where?: (report: Report<K>) => boolean
}

/** A separate process and its output. */
export interface Process {
  readonly name: string
  readonly pid: number
  readonly lines: ReadonlyArray<string>
  readonly reports: ReadonlyArray<Report>
  readonly log: () => string
  readonly say: (word: string) => void
  /** SIGTERM, or another graceful signal. */
  readonly stop: (signal?: "SIGTERM" | "SIGINT") => void
  readonly kill: () => void
  readonly freeze: () => void
  readonly thaw: () => void
  readonly hasExited: () => boolean
  /** The exit code; 128 + n for signal n. */
  readonly exit: (withinMillis: number) => Effect.Effect<number>
  /** The first matching report. */
  readonly waitFor: <K extends Kind>(kind: K, wanted: Wanted<K>) => Effect.Effect<Report<K>>
  readonly waitForLine: (pattern: RegExp, withinMillis: number) => Effect.Effect<string>
}

export interface StartOptions {
  readonly name: string
  /** Path from the root of the repository. */
  readonly file: string
  readonly args?: ReadonlyArray<string>
  /** For Node itself. */
  readonly flags?: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A minimal environment: settings of the user who runs the tests must not leak in. */
const environment = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "/",
  ...quickNode,
  SIM_SCALE: "brief",
  SIM_PORT: "0",
  TICKS_HISTORY: "10m",
  TICKS_READY_HISTORY: "10m",
  // So many blocks are read one after the other before the ledger is at the head for the first time.
  LEDGER_REORG_DEPTH: "32",
  CATALOGUE_CLOSED_WINDOW: "1h",
  CATALOGUE_PAGE: "200",
  // Reads all open events again, which takes a second of processor time.
  CATALOGUE_SWEEP_EVERY: "10m",
  BOOKS_TOP: "4",
  // Those of a busy machine.
  REDIS_COMMAND_TIMEOUT: "10s",
  POSTGRES_STATEMENT_TIMEOUT: "1m",
  POSTGRES_LOCK_TIMEOUT: "30s",
  POSTGRES_ADMISSION_TIMEOUT: "30s",
  ...env,
})

const isOf = <K extends Kind>(kind: K, report: Report): report is Report<K> & Report => report.kind === kind

const signalCodes: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGKILL: 137, SIGTERM: 143 }

const launch = ({
  name,
  flags = [],
  file,
  args = [],
  env,
  cwd = root,
}: StartOptions): Process & { end: () => Promise<void> } => {
  const child = spawn(process.execPath, [...flags, join(root, file), ...args], { cwd, env: environment(env) })
  const lines: Array<string> = []
  const reports: Array<Report> = []
  let log = ""
  let code: number | undefined
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    if (line.startsWith('{"kind":')) reports.push(JSON.parse(line))
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk
  })
  child.stdin.on("error", () => undefined)
  // Not `exit`: the last lines arrive after it.
  const closed = new Promise<void>((resolve) =>
    child.once("close", (status, signal) => {
      code = status ?? (signal === null ? 1 : (signalCodes[signal] ?? 128))
      resolve()
    }),
  )

  const missed = (what: string) =>
    Effect.die(
      new Error(
        `${name} (pid ${child.pid}, ${code === undefined ? "running" : `exit code ${code}`}): ${what}\nlast lines:\n${lines.slice(-10).join("\n")}\nlog:\n${log.slice(-4000)}`,
      ),
    )
  const search = <A>(what: string, withinMillis: number, look: () => A | undefined): Effect.Effect<A> =>
    Effect.flatMap(
      poll(
        Effect.sync(() => {
          const found = look()
          return found !== undefined ? { found } : code === undefined ? undefined : { found }
        }),
        { forMillis: patient(withinMillis) },
      ),
      (result) =>
        result?.found === undefined ? missed(`${what} not within ${withinMillis} ms`) : Effect.succeed(result.found),
    )

  return {
    name,
    pid: child.pid ?? 0,
    lines,
    reports,
    log: () => log,
    say: (word) => void child.stdin.write(`${word}\n`),
    stop: (signal = "SIGTERM") => void child.kill(signal),
    kill: () => void child.kill("SIGKILL"),
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    hasExited: () => code !== undefined,
    exit: (withinMillis) => search("exit", withinMillis, () => code),
    waitFor: <K extends Kind>(kind: K, { within, from = 0, where = () => true }: Wanted<K>) => {
      let next = from
      return search(`report "${kind}"`, within, () => {
        for (; next < reports.length; next++) {
          const each = reports[next]
          if (each !== undefined && isOf(kind, each) && where(each)) return each
        }
        return undefined
      })
    },
    waitForLine: (pattern, withinMillis) =>
      search(`line ${pattern}`, withinMillis, () => lines.find((line) => pattern.test(line))),
    end: () => {
      child.kill("SIGKILL")
      return closed
    },
  }
}

/** A whole key. Only a command that makes one prints it, and to stdout. */
const anyKey = /[a-z0-9]{2,16}_live_[0-9A-Za-z]{30,}/

/** Starts a process that is killed at the end of the scope, whatever its state. Its log must not have a key. */
export const start = (options: StartOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => launch(options)),
    ({ end, name, log }) =>
      Effect.promise(async () => {
        await end()
        if (anyKey.test(log())) throw new Error(`the log of ${name} has a key`)
      }),
  ).pipe(Effect.map((process): Process => process))
