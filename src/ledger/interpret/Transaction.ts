import type { ChainPosition, Fact, TokenPair } from "#src/domain/Fact.ts"
import type { ChainEvent } from "#src/upstream/chain/events.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { TokenMoves } from "./TokenMoves.ts"

type EventOf<Tag extends ChainEvent["_tag"]> = Extract<ChainEvent, { readonly _tag: Tag }>

/** A fact without its position. */
type FactDetails<F = Fact> = F extends Fact ? Omit<F, keyof ChainPosition> : never

/** The logs of a transaction, and the facts read so far. */
export class Transaction {
  readonly facts: Array<Fact> = []
  readonly pairs: Array<TokenPair> = []
  readonly logs: ReadonlyArray<ChainLog>
  #moves: TokenMoves | undefined

  constructor(logs: ReadonlyArray<ChainLog>) {
    this.logs = logs
  }

  /** Most transactions only settle a match, whose moves nobody needs. */
  get moves(): TokenMoves {
    this.#moves ??= new TokenMoves(this.logs)
    return this.#moves
  }

  /** Adds a fact at the position of a log. */
  add(index: number, details: FactDetails): void {
    const { block, logIndex, at, tx } = this.logs[index] as ChainLog
    this.facts.push({ ...details, block, logIndex, at, tx })
  }

  /** Index of the last matching log before another; -1 if there is none. */
  lastIndexBefore(index: number, test: (event: ChainEvent) => boolean): number {
    for (let i = index - 1; i >= 0; i--) if (test((this.logs[i] as ChainLog).event)) return i
    return -1
  }

  /** The events of a kind, in order. */
  eventsOf<Tag extends ChainEvent["_tag"]>(tag: Tag): ReadonlyArray<EventOf<Tag>> {
    return this.logs.flatMap(({ event }) => (event._tag === tag ? [event as EventOf<Tag>] : []))
  }
}
