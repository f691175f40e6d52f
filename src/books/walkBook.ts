import { type FinePrice, finePrice } from "#src/domain/amounts.ts"
import type { Level, TradeSide } from "#src/upstream/clob/model.ts"

/** Both sides of a book, the best level first. Prices are 10⁻⁶ dollars, sizes 10⁻⁶ shares. */
export interface BookSides {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

/** What an order that takes from the book gets. */
export interface WalkedBook {
  /** 10⁻⁶ shares. */
  readonly shares: bigint
  /** 10⁻¹² dollars, because price times shares has so many decimals. */
  readonly cost: bigint
  readonly levels: number
  /** Price of the last level used; undefined if there was none. */
  readonly worst: number | undefined
  /** Whether the book has all that was asked for, down to less than 10⁻⁶ shares. */
  readonly isComplete: boolean
}

const perDollar = 1_000_000n

/** The levels that an order of the side takes from. */
export const takenLevels = ({ bids, asks }: BookSides, side: TradeSide) => (side === "buy" ? asks : bids)

/** Takes from the best level on, at each as many shares as `wantedAt` asks for. */
const walk = (levels: ReadonlyArray<Level>, wantedAt: (price: bigint, cost: bigint, shares: bigint) => bigint) => {
  let [shares, cost, used] = [0n, 0n, 0]
  let worst: number | undefined
  let isComplete = false
  for (const { price, size } of levels) {
    const at = BigInt(price)
    const wanted = wantedAt(at, cost, shares)
    const taken = wanted < BigInt(size) ? wanted : BigInt(size)
    if (taken > 0n) {
      shares += taken
      cost += taken * at
      used++
      worst = price
    }
    if (taken === wanted) {
      isComplete = true
      break
    }
  }
  return { shares, cost, levels: used, worst, isComplete } satisfies WalkedBook
}

/** Buys for this many 10⁻⁶ dollars, or sells until so many are received. */
export const walkDollars = (levels: ReadonlyArray<Level>, dollars: bigint): WalkedBook =>
  walk(levels, (price, cost) => (dollars * perDollar - cost) / price)

/** Buys or sells this many 10⁻⁶ shares. */
export const walkShares = (levels: ReadonlyArray<Level>, wanted: bigint): WalkedBook =>
  walk(levels, (_price, _cost, shares) => wanted - shares)

/** The quotient of two integers, rounded half away from zero. */
export const rounded = (dividend: bigint, divisor: bigint): bigint => {
  const [n, d] = divisor < 0n ? [-dividend, -divisor] : [dividend, divisor]
  const half = (2n * (n < 0n ? -n : n) + d) / (2n * d)
  return n < 0n ? -half : half
}

/** Per share; undefined without shares. */
export const averagePrice = ({ shares, cost }: WalkedBook): FinePrice | undefined =>
  shares === 0n ? undefined : finePrice(rounded(cost * 100n, shares))

/** How much worse than a price an order is. */
export interface Slippage {
  readonly price: FinePrice
  /** 10⁻⁶ percent. */
  readonly percent: bigint
}

/** Against a price of `twice` half 10⁻⁶ dollars, as a middle may lie between two of them. Positive is worse. */
export const slippageFrom = (
  { shares, cost }: WalkedBook,
  side: TradeSide,
  twice: number | undefined,
): Slippage | undefined => {
  if (shares === 0n || twice === undefined || twice === 0) return undefined
  const fair = BigInt(twice) * shares
  const worse = side === "buy" ? 2n * cost - fair : fair - 2n * cost
  return { price: finePrice(rounded(worse * 100n, 2n * shares)), percent: rounded(worse * 100_000_000n, fair) }
}
