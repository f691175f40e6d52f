import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { FaultChange } from "./faults/Faults.ts"
import type { CalledOff } from "./gamma/game.ts"
import type { Millis } from "./world/model.ts"
import type { ScaleName } from "./world/scale.ts"

/**
 * Raise it with every change that gives the same inputs another past: the hashes of blocks do not show it, so a ledger
 * would go on as if nothing had happened.
 */
export const worldVersion = 2

/** Inputs that define a world. */
export interface Genesis {
  readonly kind: "genesis"
  readonly seed: number
  readonly genesis: Millis
  readonly scale: ScaleName
  /** Filled orders per second after genesis. */
  readonly rate: number
  /** The rules that its past follows; absent in worlds from before they had a version. */
  readonly version?: number
  /** Further games in play at any time since genesis. */
  readonly games?: number
}

/** Mapping of real time to world time. */
export interface ClockState {
  /** World time minus real time while the clock runs. */
  readonly offset: Millis
  /** The world time at which the clock is frozen. */
  readonly frozenAt: Millis | null
  /** The books and the chain agree, and nothing happens until the clock moves again. */
  readonly settled: boolean
}

/** An external change to a world, at a moment of world time. */
export type Entry =
  | ({ readonly kind: "clock"; readonly at: Millis } & ClockState)
  | { readonly kind: "settle"; readonly at: Millis; readonly head: number }
  | { readonly kind: "rate"; readonly at: Millis; readonly rate: number }
  | { readonly kind: "reorg"; readonly at: Millis; readonly head: number; readonly depth: number }
  | {
      readonly kind: "game"
      readonly at: Millis
      /** The visible time from which on the game is called off. */
      readonly shownAt: Millis
      readonly id: number
      readonly as: CalledOff
    }
  | (FaultChange & { readonly at: Millis })

/** The journal belongs to a world other than the requested one, or to one that this version cannot repeat. */
export class WorldMismatch extends Error {
  readonly _tag = "WorldMismatch"
  /** Bad usage: see src/platform/process/exitCodes.ts, which the simulator does not import. */
  readonly exitCode = 2

  constructor(path: string, { seed, scale, genesis, games = 0, version }: Genesis) {
    const start = new Date(genesis).toISOString().replace(".000Z", "Z")
    super(
      version === worldVersion
        ? `the simulated world in ${path} has SIM_SEED=${seed} SIM_SCALE=${scale} SIM_GENESIS=${start} SIM_GAMES=${games}: use these values, or set another PRESAGE_DIR for another world`
        : `the simulated world in ${path} was begun by another version of Presage, and its past would now be another one: set another PRESAGE_DIR (and DATABASE_URL, if it is set) for a new world with a new ledger, or go back to the version that began it`,
    )
  }
}

/** The journal cannot be read or written, or a line of it is not an entry. */
export class JournalUnusable extends Error {
  readonly _tag = "JournalUnusable"
  /** Bad usage: see src/platform/process/exitCodes.ts, which the simulator does not import. */
  readonly exitCode = 2

  constructor(path: string, problem: string, remedy: string) {
    super(`the simulated world in ${path} cannot be continued: ${problem}. ${remedy}`)
  }
}

const restore =
  "Restore the file from a backup, or set another PRESAGE_DIR, which begins another world with an empty ledger; without the journal the ledger would not fit the chain"

/** The fields of each kind of entry and their types; null is allowed where the journal writes it. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  genesis: { seed: "number", genesis: "number", scale: "string", rate: "number" },
  clock: { at: "number", offset: "number", frozenAt: "number null", settled: "boolean" },
  settle: { at: "number", head: "number" },
  rate: { at: "number", rate: "number" },
  reorg: { at: "number", head: "number", depth: "number" },
  game: { at: "number", shownAt: "number", id: "number", as: "string" },
  fault_on: { at: "number", fault: "object" },
  fault_off: { at: "number", id: "string null" },
  fault_schedule: { at: "number", schedule: "object null" },
  engine: { at: "number", name: "string", complaint: "string null" },
}

const isOfType = (value: unknown, types: string) =>
  types.split(" ").includes(value === null ? "null" : typeof value) && !Number.isNaN(value)

/** What is wrong with a line, if anything. */
const problemOf = (entry: unknown, isFirst: boolean): string | undefined => {
  if (typeof entry !== "object" || entry === null) return "is not a JSON object"
  const fields: Readonly<Record<string, unknown>> = { ...entry }
  const { kind } = fields
  const wanted = typeof kind === "string" && Object.hasOwn(fieldsOf, kind) ? fieldsOf[kind] : undefined
  if (wanted === undefined || isFirst !== (kind === "genesis")) return `has the unexpected kind ${JSON.stringify(kind)}`
  const wrong = Object.entries(wanted).find(([name, types]) => !isOfType(fields[name], types))
  return wrong === undefined ? undefined : `has no valid ${wrong[0]}`
}

const parseLines = (path: string, lines: ReadonlyArray<string>): [Genesis, ...Array<Entry>] => {
  const parsed = lines.map((line, i): unknown => {
    let entry: unknown
    try {
      entry = JSON.parse(line)
    } catch {
      entry = undefined
    }
    const problem = problemOf(entry, i === 0)
    if (problem !== undefined) throw new JournalUnusable(path, `line ${i + 1} ${problem}`, restore)
    return entry
  })
  return parsed as [Genesis, ...Array<Entry>]
}

/** Errors of the file system name the file and what to do. */
const usingFile = <A>(path: string, work: () => A): A => {
  try {
    return work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new JournalUnusable(path, `the file system says ${code}`, "Make the file and its directory writable")
  }
}

/** The world to open; an undefined genesis means now. */
export interface WorldRequest {
  readonly seed: number
  readonly scale: ScaleName
  readonly genesis: Millis | undefined
  /** Initial rate of a new world; an existing world keeps its own. */
  readonly rate?: number
  readonly games?: number | undefined
}

const defaultRate = 5

/** Others may not look into the directory, which has secrets too. As root, Postgres runs as a user that must get through. */
const makePrivate = (directory: string) => {
  mkdirSync(dirname(directory), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
}

/** Whole seconds, so that the oracle and the world tick together. */
const currentSecond = (): Millis => Math.floor(Date.now() / 1000) * 1000

/** The world is a pure function of its journal: a restart replays it and continues the same chain. */
export class Journal {
  readonly genesis: Genesis
  readonly entries: ReadonlyArray<Entry>
  readonly #path: string | undefined

  private constructor(path: string | undefined, genesis: Genesis, entries: ReadonlyArray<Entry>) {
    this.#path = path
    this.genesis = genesis
    this.entries = entries
  }

  /** Opens the journal at `path` or creates it. Without a path nothing is persisted. */
  static open(path: string | undefined, request: WorldRequest): Journal {
    return path === undefined ? Journal.#read(path, request) : usingFile(path, () => Journal.#read(path, request))
  }

  static #read(path: string | undefined, request: WorldRequest): Journal {
    const newGenesis = (): Genesis => ({
      kind: "genesis",
      seed: request.seed,
      scale: request.scale,
      genesis: request.genesis ?? currentSecond(),
      rate: request.rate ?? defaultRate,
      version: worldVersion,
      ...(request.games ? { games: request.games } : {}),
    })
    if (path === undefined) return new Journal(path, newGenesis(), [])
    const text = existsSync(path) ? readFileSync(path, "utf8") : ""
    const lines = text.split("\n").slice(0, -1)
    // A line truncated by a power cut never took effect; the next entry must not be appended to it.
    if (!text.endsWith("\n") && lines.length > 0) writeFileSync(path, `${lines.join("\n")}\n`)
    if (lines.length === 0) {
      const genesis = newGenesis()
      makePrivate(dirname(path))
      writeFileSync(path, `${JSON.stringify(genesis)}\n`)
      return new Journal(path, genesis, [])
    }
    const [genesis, ...entries] = parseLines(path, lines)
    const isSameWorld =
      genesis.version === worldVersion &&
      genesis.seed === request.seed &&
      genesis.scale === request.scale &&
      (genesis.games ?? 0) === (request.games ?? 0) &&
      (request.genesis ?? genesis.genesis) === genesis.genesis
    if (!isSameWorld) throw new WorldMismatch(path, genesis)
    return new Journal(path, genesis, entries)
  }

  add(entry: Entry): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(entry)}\n`)
  }
}

/** Another process runs the world of this journal: two would diverge. */
export class WorldInUse extends Error {
  readonly _tag = "WorldInUse"
  /** Bad usage: see src/platform/process/exitCodes.ts, which the simulator does not import. */
  readonly exitCode = 2

  constructor(path: string, pid: number) {
    super(
      `the simulated world in ${dirname(path)} is in use by process ${pid}: stop that process or set another PRESAGE_DIR`,
    )
  }
}

/** Start time of a process in clock ticks since boot; undefined where /proc is missing. */
const startTimeOf = (pid: number): string | undefined => {
  try {
    // The process name, in parentheses, may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19]
  } catch {
    return undefined
  }
}

const lockMark = (pid: number) => `${pid} ${startTimeOf(pid) ?? ""}`.trim()

/** Process ids are reused, above all in containers, so the start time must match too. */
const isRunning = (mark: string): boolean => {
  const pid = Number(mark.split(" ")[0])
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  return lockMark(pid) === mark
}

/** The journal of the world in a Presage directory. */
export const journalIn = (directory: string): string => join(directory, "simulator", "journal.jsonl")

const lockOf = (path: string) => `${path}.pid`

/** Whether another process runs the world of this journal. */
export const isInUse = (path: string): boolean => {
  const file = lockOf(path)
  return existsSync(file) && isRunning(readFileSync(file, "utf8").trim())
}

/** Locks a journal for this process and returns the release function. Locks of dead processes are ignored. */
export const lockJournal = (path: string): (() => void) => {
  const file = lockOf(path)
  usingFile(path, () => makePrivate(dirname(path)))
  for (;;) {
    try {
      writeFileSync(file, lockMark(process.pid), { flag: "wx" })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
    const mark = readFileSync(file, "utf8").trim()
    if (isRunning(mark)) throw new WorldInUse(path, Number(mark.split(" ")[0]))
    rmSync(file, { force: true })
  }
}
