import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { FaultChange } from "./faults/Faults.ts"
import type { Millis } from "./world/model.ts"
import type { ScaleName } from "./world/scale.ts"

/** What makes a world this one and no other. */
export interface Genesis {
  readonly kind: "genesis"
  readonly seed: number
  readonly genesis: Millis
  readonly scale: ScaleName
  /** Filled orders a second from then on. */
  readonly rate: number
}

/** How a world's time follows real time. */
export interface ClockState {
  /** World time minus real time while it runs. */
  readonly offset: Millis
  /** The moment at which it stands still, if it does. */
  readonly frozenAt: Millis | null
  /** The books and the chain say the same, and nothing may happen until the clock moves again. */
  readonly settled: boolean
}

/** Something that was done to a world from outside, at a moment of its own time. */
export type Entry =
  | ({ readonly kind: "clock"; readonly at: Millis } & ClockState)
  | { readonly kind: "settle"; readonly at: Millis; readonly head: number }
  | { readonly kind: "rate"; readonly at: Millis; readonly rate: number }
  | { readonly kind: "reorg"; readonly at: Millis; readonly head: number; readonly depth: number }
  | (FaultChange & { readonly at: Millis })

/** Asked for a world other than the one whose journal is there. */
export class OtherWorld extends Error {
  readonly _tag = "OtherWorld"

  constructor(path: string, { seed, scale, genesis }: Genesis) {
    const start = new Date(genesis).toISOString().replace(".000Z", "Z")
    super(
      `the simulated world in ${path} has SIM_SEED=${seed} SIM_SCALE=${scale} SIM_GENESIS=${start}: set these, or choose another PRESAGE_DIR for another world`,
    )
  }
}

/** What is asked of a world; a genesis left open begins now. */
export interface WantedWorld {
  readonly seed: number
  readonly scale: ScaleName
  readonly genesis: Millis | undefined
  /** For a world that begins; one that is there has its own. */
  readonly rate?: number
}

const usualRate = 5

/** Whole: the oracle's seconds and the world's should begin together. */
const thisSecond = (): Millis => Math.floor(Date.now() / 1000) * 1000

/** The world is a pure function of what is written here: a restart reads it and continues the same chain. */
export class Journal {
  readonly genesis: Genesis
  readonly entries: ReadonlyArray<Entry>
  readonly #path: string | undefined

  private constructor(path: string | undefined, genesis: Genesis, entries: ReadonlyArray<Entry>) {
    this.#path = path
    this.genesis = genesis
    this.entries = entries
  }

  /** Continues the journal at `path`, or begins one. Without a path nothing is kept. */
  static open(path: string | undefined, wanted: WantedWorld): Journal {
    const begun = (): Genesis => ({
      kind: "genesis",
      seed: wanted.seed,
      scale: wanted.scale,
      genesis: wanted.genesis ?? thisSecond(),
      rate: wanted.rate ?? usualRate,
    })
    if (path === undefined) return new Journal(path, begun(), [])
    const text = existsSync(path) ? readFileSync(path, "utf8") : ""
    const lines = text.split("\n").slice(0, -1)
    // A line that a power cut left unfinished never took effect, and the next one must not continue it.
    if (!text.endsWith("\n") && lines.length > 0) writeFileSync(path, `${lines.join("\n")}\n`)
    if (lines.length === 0) {
      const genesis = begun()
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${JSON.stringify(genesis)}\n`)
      return new Journal(path, genesis, [])
    }
    const [genesis, ...entries] = lines.map((line) => JSON.parse(line))
    const isAsked =
      genesis.seed === wanted.seed &&
      genesis.scale === wanted.scale &&
      (wanted.genesis ?? genesis.genesis) === genesis.genesis
    if (!isAsked) throw new OtherWorld(path, genesis)
    return new Journal(path, genesis, entries)
  }

  add(entry: Entry): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(entry)}\n`)
  }
}
