import { Chain } from "./chain/Chain.ts"
import { LogEncoder } from "./chain/LogEncoder.ts"
import { type FaultChange, Faults } from "./faults/Faults.ts"
import { type CalledOff, callOff } from "./gamma/game.ts"
import type { ClockState, Entry, Journal } from "./Journal.ts"
import { seedOf } from "./random.ts"
import { firstBlock } from "./world/blockClock.ts"
import { makeWorld, type WorldModel } from "./world/makeWorld.ts"
import type { Game, Millis } from "./world/model.ts"

export interface SimulationListeners {
  /** A block was produced; its transactions are final unless it is replaced. */
  readonly block: (block: number) => void
  /** A transaction entered the mempool. */
  readonly pending: (tx: number) => void
  /** The blocks `from` to `to` are about to be replaced. */
  readonly reorg: (from: number, to: number) => void
  /** A second of oracle time has passed. */
  readonly second: (second: number) => void
  /** A game was called off. */
  readonly game: (game: Game) => void
}

/** A world with a clock: its visible part follows real time, or is frozen and moves on request. */
export class Simulation {
  /** Further games in play at any time. */
  readonly games: number
  readonly model: WorldModel
  readonly chain: Chain
  readonly logs: LogEncoder
  readonly faults: Faults
  /** Where clients reach the venue, which is known once it listens. */
  address = "http://127.0.0.1"
  readonly #journal: Journal
  readonly #realNow: () => Millis
  readonly #listeners: { readonly [K in keyof SimulationListeners]: Set<SimulationListeners[K]> } = {
    block: new Set(),
    pending: new Set(),
    reorg: new Set(),
    second: new Set(),
    game: new Set(),
  }
  #clock: ClockState = { offset: 0, frozenAt: null, settled: false }
  #shownBlock: number
  #shownSecond: number
  #announced: number
  /** Scheduled reorganisations up to this moment have happened or were skipped. */
  #reorganised: Millis

  constructor(journal: Journal, realNow: () => Millis) {
    this.#journal = journal
    this.#realNow = realNow
    const { seed, genesis, scale, rate, games = 0 } = journal.genesis
    this.games = games
    this.model = makeWorld({ seed, genesis, scale, games })
    this.logs = new LogEncoder(
      this.model.world,
      this.model.wallets,
      this.model.builders.map(({ code }) => code),
      seedOf(seed, "orders"),
    )
    this.chain = new Chain(this.model.world, this.logs, seed, genesis)
    this.faults = new Faults(seed, () => this.now())
    this.model.world.advanceTo(genesis)
    this.model.world.setRate(rate)
    for (const entry of journal.entries) this.#apply(entry)
    if (!this.#clock.settled) this.model.world.advanceTo(this.now())
    this.#shownBlock = this.chain.headAt(this.now())
    this.#shownSecond = Math.floor(this.now() / 1000)
    this.#announced = this.model.world.facts.length
    this.#reorganised = this.now()
  }

  /** The visible world time. */
  now(): Millis {
    return this.#clock.frozenAt ?? this.#realNow() + this.#clock.offset
  }

  get head(): number {
    return this.#shownBlock
  }

  get frozen(): boolean {
    return this.#clock.frozenAt !== null
  }

  /** Filled orders per second. */
  get rate(): number {
    return this.model.world.rate
  }

  on<K extends keyof SimulationListeners>(kind: K, listener: SimulationListeners[K]): () => void {
    const listeners: Set<SimulationListeners[K]> = this.#listeners[kind]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Advances the world to its clock and notifies listeners of what became visible. */
  tick(): void {
    if (!this.#clock.settled) this.model.world.advanceTo(this.now())
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
    for (const { facts } = this.model.world; this.#announced < facts.length; this.#announced++) {
      for (const listener of this.#listeners.pending) listener(this.#announced)
    }
    for (let block = this.#shownBlock + 1; block <= this.chain.headAt(now); block++) {
      this.#shownBlock = block
      for (const listener of this.#listeners.block) listener(block)
    }
  }

  /** Shows everything due, then stops the clock. */
  freeze(): void {
    if (!this.frozen) this.#setClock({ frozenAt: this.now() })
    this.tick()
  }

  /** Resumes from the frozen moment at the pace of real time. */
  thaw(): void {
    const { frozenAt } = this.#clock
    if (frozenAt !== null) this.#setClock({ offset: frozenAt - this.#realNow(), frozenAt: null, settled: false })
  }

  /** Moves the clock forward, frozen or not. */
  advance(millis: number): void {
    const { frozenAt, offset } = this.#clock
    this.#setClock(
      frozenAt === null ? { offset: offset + millis, settled: false } : { frozenAt: frozenAt + millis, settled: false },
    )
    this.tick()
  }

  /** Freezes the world and shows it up to the block of its last transaction, so that the books and the chain agree. */
  settle(): void {
    this.freeze()
    const { facts, clock } = this.model.world
    const last = facts.length === 0 ? 0 : facts.block.get(facts.length - 1)
    this.#setClock({ frozenAt: Math.max(this.now(), clock.millisOf(last + firstBlock)), settled: true })
    this.#show()
    this.#record({ kind: "settle", at: this.model.world.now, head: this.#shownBlock })
  }

  setRate(rate: number): void {
    this.#record({ kind: "rate", at: this.model.world.now, rate })
  }

  /** Replaces the newest blocks. Listeners are notified first, while the old blocks can still be read. */
  reorg(depth: number): void {
    const head = this.#shownBlock
    for (const listener of this.#listeners.reorg) listener(head - depth + 1, head)
    this.#record({ kind: "reorg", at: this.model.world.now, head, depth })
    for (let block = head - depth + 1; block <= head; block++) {
      for (const listener of this.#listeners.block) listener(block)
    }
  }

  /** Postpones or cancels a game as of now; false if the venue has no such game. */
  callOff(id: number, as: CalledOff): boolean {
    const [game] = this.#gamesOf(id)
    if (game === undefined) return false
    this.#record({ kind: "game", at: this.model.world.now, shownAt: this.now(), id, as })
    for (const listener of this.#listeners.game) listener(game)
    return true
  }

  /** Events of a game may have copies of it. */
  #gamesOf(id: number): ReadonlyArray<Game> {
    return this.model.world.venue.events.flatMap(({ plan }) => (plan.game?.id === id ? [plan.game] : []))
  }

  changeFaults(change: FaultChange): void {
    this.#record({ ...change, at: this.model.world.now })
  }

  #setClock(change: Partial<ClockState>): void {
    this.#record({ ...this.#clock, ...change, kind: "clock", at: this.model.world.now })
  }

  #record(entry: Entry): void {
    this.#journal.add(entry)
    this.#apply(entry)
  }

  #apply(entry: Entry): void {
    this.model.world.advanceTo(entry.at)
    if (entry.kind === "rate") this.model.world.setRate(entry.rate)
    else if (entry.kind === "reorg") this.chain.reorg(entry.head, entry.depth)
    else if (entry.kind === "settle") this.model.world.setBlockFloor(entry.head + 1)
    else if (entry.kind === "clock") this.#clock = entry
    else if (entry.kind === "game") {
      for (const game of this.#gamesOf(entry.id)) callOff(game, entry.as, entry.shownAt)
    } else this.faults.apply(entry)
  }
}
