import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Millis } from "./world/model.ts"
import type { ScaleName } from "./world/scale.ts"

/** What makes a world this one and no other. */
export interface Genesis {
  readonly kind: "genesis"
  readonly seed: number
  readonly genesis: Millis
  readonly scale: ScaleName
}

/** Something that was done to a world from outside, at a moment of its own time. */
export type Entry =
  | { readonly kind: "settle"; readonly at: Millis; readonly head: number }
  | { readonly kind: "rate"; readonly at: Millis; readonly rate: number }
  | { readonly kind: "reorg"; readonly at: Millis; readonly head: number; readonly depth: number }

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

  /** Continues the journal at `path`, or begins one with `first`. Without a path nothing is kept. */
  static open(path: string | undefined, first: () => Omit<Genesis, "kind">): Journal {
    if (path === undefined) return new Journal(path, { kind: "genesis", ...first() }, [])
    if (!existsSync(path)) {
      const genesis: Genesis = { kind: "genesis", ...first() }
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, `${JSON.stringify(genesis)}\n`)
      return new Journal(path, genesis, [])
    }
    // A line that a power cut left unfinished never took effect.
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
    const [genesis, ...entries] = lines.map((line) => JSON.parse(line))
    return new Journal(path, genesis, entries)
  }

  add(entry: Entry): void {
    if (this.#path !== undefined) appendFileSync(this.#path, `${JSON.stringify(entry)}\n`)
  }
}
