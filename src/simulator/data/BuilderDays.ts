import { dateOf } from "../gamma/format.ts"
import { TxKind } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import { isFresh, type Period, periods } from "./Boards.ts"
import type { Ledger } from "./Ledger.ts"

const day = 86_400_000

/** Fills of the orders that one builder routed, in a period. */
export interface BuilderSum {
  readonly builder: number
  usd: Micro
  shares: Micro
  readonly users: Set<number>
}

interface BuilderDay {
  /** 2026-04-05 */
  readonly date: string
  /** By volume, descending. */
  readonly sums: ReadonlyArray<BuilderSum>
}

const maxDays = 90

const ranked = (sums: Iterable<BuilderSum>): ReadonlyArray<BuilderSum> =>
  [...sums].sort((a, b) => b.usd - a.usd || a.builder - b.builder)

const sumOf = (sums: SumsByBuilder, builder: number): BuilderSum => {
  const existing = sums.get(builder)
  if (existing !== undefined) return existing
  const sum: BuilderSum = { builder, usd: 0, shares: 0, users: new Set() }
  sums.set(builder, sum)
  return sum
}

type SumsByBuilder = Map<number, BuilderSum>

/** Fills of routed orders, by day (UTC) and over sliding periods. */
export class BuilderDays {
  readonly #ledger: Ledger
  readonly #days = new Map<number, SumsByBuilder>()
  readonly #allTime: SumsByBuilder = new Map()
  readonly #recent = new Map<Period, { readonly computedAt: Millis; readonly sums: SumsByBuilder }>()
  #counted = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** The days of a period, newest first. */
  series(period: Period): ReadonlyArray<BuilderDay> {
    this.#catchUp()
    const first = dayOf(this.#ledger.sim.now() - periods[period])
    return [...this.#days]
      .filter(([number]) => number >= first)
      .sort(([a], [b]) => b - a)
      .slice(0, maxDays)
      .map(([number, sums]) => ({ date: dateOf(number * day), sums: ranked(sums.values()) }))
  }

  ranking(period: Period): ReadonlyArray<BuilderSum> {
    this.#catchUp()
    return ranked((period === "ALL" ? this.#allTime : this.#sumsOf(period)).values())
  }

  #sumsOf(period: Period): SumsByBuilder {
    const { facts, sim } = this.#ledger
    const existing = this.#recent.get(period)
    if (existing !== undefined && isFresh(existing.computedAt, sim.now())) return existing.sums
    const sums: SumsByBuilder = new Map()
    for (let tx = facts.at.lowerBound(sim.now() - periods[period]); tx < this.#counted; tx++) this.#count(tx, sums)
    this.#recent.set(period, { computedAt: sim.now(), sums })
    return sums
  }

  #catchUp(): void {
    const { end } = this.#ledger
    for (; this.#counted < end; this.#counted++) {
      const number = dayOf(this.#ledger.timeOf(this.#counted) * 1000)
      const existing = this.#days.get(number)
      const sums: SumsByBuilder = existing ?? new Map()
      if (existing === undefined) this.#days.set(number, sums)
      this.#count(this.#counted, sums)
      this.#count(this.#counted, this.#allTime)
    }
  }

  #count(tx: number, sums: SumsByBuilder): void {
    const { facts } = this.#ledger
    if (facts.kind.get(tx) !== TxKind.match) return
    const first = facts.firstFill.get(tx)
    for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
      const builder = facts.builder.get(fill) - 1
      if (builder < 0) continue
      const sum = sumOf(sums, builder)
      sum.usd += facts.usd.get(fill)
      sum.shares += facts.shares.get(fill)
      sum.users.add(facts.maker.get(fill))
    }
  }
}

const dayOf = (at: Millis): number => Math.floor(at / day)
