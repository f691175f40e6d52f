import { dateOf } from "../gamma/times.ts"
import { Act } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import { isFresh, type Period, periods } from "./Boards.ts"
import { takersFill } from "./fills.ts"
import type { Ledger } from "./Ledger.ts"

const day = 86_400_000

/** The trades that came through one builder, in a day or longer. */
export interface BuilderSum {
  readonly builder: number
  usd: Micro
  shares: Micro
  readonly users: Set<number>
}

export interface BuilderDay {
  /** 2026-04-05 */
  readonly date: string
  /** Most traded first. */
  readonly sums: ReadonlyArray<BuilderSum>
}

const mostDays = 90

const ranked = (sums: Iterable<BuilderSum>): ReadonlyArray<BuilderSum> =>
  [...sums].sort((a, b) => b.usd - a.usd || a.builder - b.builder)

const sumOf = (sums: Sums, builder: number): BuilderSum => {
  const known = sums.get(builder)
  if (known !== undefined) return known
  const sum: BuilderSum = { builder, usd: 0, shares: 0, users: new Set() }
  sums.set(builder, sum)
  return sum
}

type Sums = Map<number, BuilderSum>

/** What came through the builders, on each day (UTC) and in periods that move on with time. */
export class BuilderDays {
  readonly #ledger: Ledger
  readonly #days = new Map<number, Sums>()
  readonly #ever: Sums = new Map()
  readonly #recent = new Map<Period, { readonly madeAt: Millis; readonly sums: Sums }>()
  #counted = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** The days that a period touches, newest first. */
  series(period: Period): ReadonlyArray<BuilderDay> {
    this.#catchUp()
    const first = dayOf(this.#ledger.sim.now() - periods[period])
    return [...this.#days]
      .filter(([number]) => number >= first)
      .sort(([a], [b]) => b - a)
      .slice(0, mostDays)
      .map(([number, sums]) => ({ date: dateOf(number * day), sums: ranked(sums.values()) }))
  }

  standings(period: Period): ReadonlyArray<BuilderSum> {
    this.#catchUp()
    return ranked((period === "ALL" ? this.#ever : this.#sumsOf(period)).values())
  }

  #sumsOf(period: Period): Sums {
    const { facts, sim } = this.#ledger
    const known = this.#recent.get(period)
    if (known !== undefined && isFresh(known.madeAt, sim.now())) return known.sums
    const sums: Sums = new Map()
    for (let act = facts.at.lowerBound(sim.now() - periods[period]); act < this.#counted; act++) this.#count(act, sums)
    this.#recent.set(period, { madeAt: sim.now(), sums })
    return sums
  }

  #catchUp(): void {
    const { end } = this.#ledger
    for (; this.#counted < end; this.#counted++) {
      if (this.#builderOf(this.#counted) < 0) continue
      const number = dayOf(this.#ledger.timeOf(this.#counted) * 1000)
      const known = this.#days.get(number)
      const sums: Sums = known ?? new Map()
      if (known === undefined) this.#days.set(number, sums)
      this.#count(this.#counted, sums)
      this.#count(this.#counted, this.#ever)
    }
  }

  /** -1 for what came without one. */
  #builderOf(act: number): number {
    const { facts } = this.#ledger
    return facts.kind.get(act) === Act.match ? facts.builder.get(takersFill(facts, act)) - 1 : -1
  }

  #count(act: number, sums: Sums): void {
    const { facts } = this.#ledger
    const builder = this.#builderOf(act)
    if (builder < 0) return
    const fill = takersFill(facts, act)
    const sum = sumOf(sums, builder)
    sum.usd += facts.usd.get(fill)
    sum.shares += facts.shares.get(fill)
    sum.users.add(facts.maker.get(fill))
  }
}

const dayOf = (at: Millis): number => Math.floor(at / day)
