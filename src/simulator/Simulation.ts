import { Chain } from "./chain/Chain.ts"
import { LogMaker } from "./chain/LogMaker.ts"
import { type FaultChange, Faults } from "./faults/Faults.ts"
import type { ClockState, Entry, Journal } from "./Journal.ts"
import { seedOf } from "./random.ts"
import { firstBlock } from "./world/blockClock.ts"
import { type Made, makeWorld } from "./world/makeWorld.ts"
import type { Millis } from "./world/model.ts"

export interface SimulationListeners {
  /** A block was made; all its transactions are final unless it is replaced. */
  readonly block: (block: number) => void
  /** A transaction was seen that will be in a block soon. */
  readonly pending: (act: number) => void
  /** Blocks from the first to the second height are about to be replaced by others. */
  readonly reorg: (from: number, to: number) => void
  /** A second of the oracle's time has passed. */
  readonly second: (second: number) => void
}

/** A world with a clock: what is shown of it moves with real time, or stands still and jumps when told to. */
export class Simulation {
  readonly made: Made
  readonly chain: Chain
  readonly logs: LogMaker
  readonly faults: Faults
  readonly #journal: Journal
  readonly #realNow: () => Millis
  readonly #listeners: { readonly [K in keyof SimulationListeners]: Set<SimulationListeners[K]> } = {
    block: new Set(),
    pending: new Set(),
    reorg: new Set(),
    second: new Set(),
  }
  #clock: ClockState = { offset: 0, frozenAt: null, settled: false }
  #shownBlock: number
  #shownSecond: number
  #announced: number
  /** Scheduled reorganisations up to here have taken place or been missed. */
  #reorganised: Millis

  constructor(journal: Journal, realNow: () => Millis) {
    this.#journal = journal
    this.#realNow = realNow
    const { seed, genesis, scale, rate } = journal.genesis
    this.made = makeWorld({ seed, genesis, scale })
    this.logs = new LogMaker(
      this.made.world,
      this.made.wallets,
      this.made.builders.map(({ code }) => code),
      seedOf(seed, "orders"),
    )
    this.chain = new Chain(this.made.world, this.logs, seed)
    this.faults = new Faults(seed, () => this.now())
    this.made.world.advanceTo(genesis)
    this.made.world.setRate(rate)
    for (const entry of journal.entries) this.#apply(entry)
    if (!this.#clock.settled) this.made.world.advanceTo(this.now())
    this.#shownBlock = this.chain.headAt(this.now())
    this.#shownSecond = Math.floor(this.now() / 1000)
    this.#announced = this.made.world.facts.length
    this.#reorganised = this.now()
  }

  /** The moment that the outside sees. */
  now(): Millis {
    return this.#clock.frozenAt ?? this.#realNow() + this.#clock.offset
  }

  get head(): number {
    return this.#shownBlock
  }

  get frozen(): boolean {
    return this.#clock.frozenAt !== null
  }

  /** Filled orders a second. */
  get rate(): number {
    return this.made.world.rate
  }

  on<K extends keyof SimulationListeners>(kind: K, listener: SimulationListeners[K]): () => void {
    const listeners: Set<SimulationListeners[K]> = this.#listeners[kind]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Lets the world catch up with its clock and tells what became visible. */
  tick(): void {
    if (!this.#clock.settled) this.made.world.advanceTo(this.now())
    this.#show()
    const depth = this.faults.reorgDue(this.#reorganised, this.now())
    this.#reorganised = Math.max(this.#reorganised, this.now())
    if (depth !== undefined) this.reorg(depth)
  }

  #show(): void {
    const now = this.now()
    for (let second = this.#shownSecond + 1; second * 1000 <= now; second++) {
      this.#shownSecond = second
      for (const listener of this.#listeners.second) listener(second)
    }
    for (const { facts } = this.made.world; this.#announced < facts.length; this.#announced++) {
      for (const listener of this.#listeners.pending) listener(this.#announced)
    }
    for (let block = this.#shownBlock + 1; block <= this.chain.headAt(now); block++) {
      this.#shownBlock = block
      for (const listener of this.#listeners.block) listener(block)
    }
  }

  /** What is due is shown at once: afterwards nothing moves by itself. */
  freeze(): void {
    if (!this.frozen) this.#setClock({ frozenAt: this.now() })
    this.tick()
  }

  /** Goes on from where it stands, at the pace of real time. */
  thaw(): void {
    const { frozenAt } = this.#clock
    if (frozenAt !== null) this.#setClock({ offset: frozenAt - this.#realNow(), frozenAt: null, settled: false })
  }

  /** Moves the world on, frozen or not. */
  advance(millis: number): void {
    const { frozenAt, offset } = this.#clock
    this.#setClock(
      frozenAt === null ? { offset: offset + millis, settled: false } : { frozenAt: frozenAt + millis, settled: false },
    )
    this.tick()
  }

  /**
   * Shows a frozen world up to the block of its last transaction, without letting anything else happen: then the books
   * and the chain say the same.
   */
  settle(): void {
    this.freeze()
    const { facts, clock } = this.made.world
    const last = facts.length === 0 ? 0 : facts.block.get(facts.length - 1)
    this.#setClock({ frozenAt: Math.max(this.now(), clock.millisOf(last + firstBlock)), settled: true })
    this.#show()
    this.#record({ kind: "settle", at: this.made.world.now, head: this.#shownBlock })
  }

  setRate(rate: number): void {
    this.#record({ kind: "rate", at: this.made.world.now, rate })
  }

  /** Replaces the newest blocks; those who listen hear of it before, while the old ones can still be read. */
  reorg(depth: number): void {
    const head = this.#shownBlock
    for (const listener of this.#listeners.reorg) listener(head - depth + 1, head)
    this.#record({ kind: "reorg", at: this.made.world.now, head, depth })
    for (let block = head - depth + 1; block <= head; block++) {
      for (const listener of this.#listeners.block) listener(block)
    }
  }

  changeFaults(change: FaultChange): void {
    this.#record({ ...change, at: this.made.world.now })
  }

  #setClock(change: Partial<ClockState>): void {
    this.#record({ ...this.#clock, ...change, kind: "clock", at: this.made.world.now })
  }

  #record(entry: Entry): void {
    this.#journal.add(entry)
    this.#apply(entry)
  }

  #apply(entry: Entry): void {
    this.made.world.advanceTo(entry.at)
    if (entry.kind === "rate") this.made.world.setRate(entry.rate)
    else if (entry.kind === "reorg") this.chain.reorg(entry.head, entry.depth)
    else if (entry.kind === "settle") this.made.world.setBlockFloor(entry.head + 1)
    else if (entry.kind === "clock") this.#clock = entry
    else this.faults.apply(entry)
  }
}
