import { type Shares, shares as toShares, type Usdc, usdc } from "#src/domain/amounts.ts"
import { ExactSum } from "./ExactSum.ts"

/** Facts that move money between a wallet and the venue; a kind's code is its index. The first two are fills. */
export const factKinds = ["buy", "sell", "split", "merge", "redemption", "conversion"] as const
export type FactKind = (typeof factKinds)[number]
export const codeOf = (kind: FactKind) => factKinds.indexOf(kind)

const [buy, sell, split] = [codeOf("buy"), codeOf("sell"), codeOf("split")]

/** The largest amount of one fact that is computed exactly: four and a half billion dollars. */
export const mostOfOne = 2 ** 52

/**
 * Facts of one wallet in columns, in any order. Money and shares are integers of 10⁻⁶, times are milliseconds. For other
 * facts than fills only `usd` counts: the amount split or merged, or the payout.
 */
export interface FactColumns {
  readonly count: number
  readonly at: Float64Array
  readonly kind: Uint8Array
  readonly shares: Float64Array
  readonly usd: Float64Array
}

/** Scores of one window. */
export interface CopyScore {
  /** Cash in minus cash out. */
  readonly actual: Usdc<bigint>
  /** The same for a copier who trades the same shares 2 % worse. */
  readonly backtest: Usdc<bigint>
  /** Number of fills. */
  readonly trades: number
}

/** A copier pays 2 % more, but never more than 1.00 for a share, to the nearest 10⁻⁶, half up. */
export const copiedCost = (usd: Usdc, shares: Shares): Usdc => {
  const half = usd + 25
  // Integers only: a quotient of large numbers would be rounded before it is truncated.
  return usdc(Math.min(usd + (half - (half % 50)) / 50, shares))
}

/** A copier gets 2 % less, to the nearest 10⁻⁶, half up. */
export const copiedProceeds = (usd: Usdc): Usdc => {
  const half = usd + 24
  return usdc(usd - (half - (half % 50)) / 50)
}

interface Band {
  readonly after: number
  readonly actual: ExactSum
  readonly backtest: ExactSum
  trades: number
  readonly counts: Array<number>
}

/**
 * P&L of a wallet and of a copier over several windows with the same end. A fact is counted once, in the shortest window
 * that contains it; longer windows are sums of the shorter ones.
 */
export class CopyPnl {
  readonly #until: number
  readonly #bands: ReadonlyArray<Band>

  /** `afters` are in descending order: each window begins after its own and reaches further back than the one before. */
  constructor(until: number, afters: ReadonlyArray<number>) {
    this.#until = until
    this.#bands = afters.map((after) => ({
      after,
      actual: new ExactSum(),
      backtest: new ExactSum(),
      trades: 0,
      counts: factKinds.map(() => 0),
    }))
  }

  add({ count, at, kind, shares, usd }: FactColumns): void {
    for (let i = 0; i < count; i++) {
      const time = at[i] as number
      const band = time > this.#until ? undefined : this.#bands.find(({ after }) => time > after)
      if (band !== undefined) countIn(band, kind[i] as number, toShares(shares[i] as number), usdc(usd[i] as number))
    }
  }

  /** In the order of the windows. */
  scores(): ReadonlyArray<CopyScore> {
    let [actual, backtest, trades] = [0n, 0n, 0]
    return this.#bands.map((band) => {
      actual += band.actual.total
      backtest += band.backtest.total
      trades += band.trades
      return { actual: usdc(actual), backtest: usdc(backtest), trades }
    })
  }

  /** Number of facts of each kind in the longest window. */
  counts(): Readonly<Record<FactKind, number>> {
    const total = (code: number) => this.#bands.reduce((sum, { counts }) => sum + (counts[code] ?? 0), 0)
    return Object.fromEntries(factKinds.map((kind, code) => [kind, total(code)])) as Record<FactKind, number>
  }
}

const countIn = (band: Band, kind: number, shares: Shares, usd: Usdc): void => {
  band.counts[kind] = (band.counts[kind] ?? 0) + 1
  if (kind === buy) {
    band.trades++
    band.actual.add(-usd)
    band.backtest.add(-copiedCost(usd, shares))
  } else if (kind === sell) {
    band.trades++
    band.actual.add(usd)
    band.backtest.add(copiedProceeds(usd))
  } else {
    // At face value for a copier as well.
    const amount = kind === split ? -usd : usd
    band.actual.add(amount)
    band.backtest.add(amount)
  }
}

const oneDollar = 1_000_000n
const toxicPercent = 15n

export const slippageOf = ({ actual, backtest }: Pick<CopyScore, "actual" | "backtest">): Usdc<bigint> =>
  usdc(actual - backtest)

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount)

/** Cost of copying in percent of the wallet's P&L; null below one dollar. */
export const slippageRate = (score: Pick<CopyScore, "actual" | "backtest">): number | null => {
  const whole = magnitude(score.actual)
  return whole < oneDollar ? null : Number(slippageOf(score) * 100n) / Number(whole)
}

/** Whether the rate is above 15 %, computed with integers. */
export const isToxic = (score: Pick<CopyScore, "actual" | "backtest">): boolean => {
  const whole = magnitude(score.actual)
  return whole >= oneDollar && slippageOf(score) * 100n > whole * toxicPercent
}
