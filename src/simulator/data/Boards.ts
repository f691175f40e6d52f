import type { Micro, Millis } from "../world/model.ts"
import type { Market } from "../world/Venue.ts"
import type { Ledger } from "./Ledger.ts"

const day = 86_400_000

export const periods = { DAY: day, WEEK: 7 * day, MONTH: 30 * day, ALL: Number.POSITIVE_INFINITY }
export type Period = keyof typeof periods
export const periodNames = Object.keys(periods) as ReadonlyArray<Period>

/** Which markets count; some categories have other names in the catalogue. */
const categories = {
  OVERALL: undefined,
  POLITICS: ({ event }: Market) => event.plan.category === "politics" || event.plan.category === "geopolitics",
  SPORTS: ({ event }: Market) => event.plan.category === "sports",
  CRYPTO: ({ event }: Market) => event.plan.category === "crypto",
  CULTURE: ({ event }: Market) => event.plan.category === "culture",
  MENTIONS: ({ event }: Market) => event.plan.category === "mentions",
  WEATHER: ({ event }: Market) => event.plan.category === "weather",
  ECONOMICS: ({ event }: Market) => event.plan.category === "economy",
  TECH: ({ event }: Market) => event.plan.category === "tech",
  FINANCE: ({ event }: Market) => event.plan.category === "finance",
  COMBOS: ({ isCombo }: Market) => isCombo,
  ESPORTS: ({ event }: Market) => event.plan.tags.some(({ slug }) => slug === "esports"),
}
export type Category = keyof typeof categories
export const categoryNames = Object.keys(categories) as ReadonlyArray<Category>

/** In simulated time. */
const freshFor: Millis = 5_000

export const isFresh = (computedAt: Millis, now: Millis): boolean => now >= computedAt && now < computedAt + freshFor

export type Measure = "pnl" | "usd" | "shares"

/** Volume and realized PnL of all wallets over a sliding period. */
export class Board {
  readonly #ledger: Ledger
  readonly #duration: Millis
  /** Undefined includes all. */
  readonly #includes: ((market: Market) => boolean) | undefined
  readonly #sums: Readonly<Record<Measure, Float64Array>>
  readonly #rankings = new Map<Measure, Ranking>()
  #fills: readonly [from: number, to: number] = [0, 0]
  #events: readonly [from: number, to: number] = [0, 0]
  #computedAt: Millis = Number.NEGATIVE_INFINITY

  constructor(ledger: Ledger, period: Period, category: Category) {
    this.#ledger = ledger
    this.#duration = periods[period]
    this.#includes = categories[category]
    const wallets = ledger.sim.model.wallets.length
    this.#sums = {
      pnl: new Float64Array(wallets),
      usd: new Float64Array(wallets),
      shares: new Float64Array(wallets),
    }
  }

  of(wallet: number, measure: Measure): Micro {
    return this.#sums[measure][wallet] ?? 0
  }

  /** Wallets with any volume or PnL, best first. */
  ranking(measure: Measure): Ranking {
    const cached = this.#rankings.get(measure)
    if (cached !== undefined) return cached
    const sums = this.#sums[measure]
    const wallets = [...sums.keys()].filter((wallet) => this.of(wallet, "usd") !== 0 || this.of(wallet, "pnl") !== 0)
    const ranking = new Ranking(wallets.sort((a, b) => (sums[b] as number) - (sums[a] as number) || a - b))
    this.#rankings.set(measure, ranking)
    return ranking
  }

  refresh(): void {
    const now = this.#ledger.sim.now()
    if (isFresh(this.#computedAt, now)) return
    this.#computedAt = now
    this.#rankings.clear()
    const { facts, books, end } = this.#ledger
    // Counted rows stay when blocks are replaced, because they reappear in later ones.
    const first = this.#duration === Number.POSITIVE_INFINITY ? 0 : facts.at.lowerBound(now - this.#duration)
    const fillAt = (tx: number) => (tx < facts.length ? facts.firstFill.get(tx) : facts.fills)
    this.#fills = slideWindow(this.#fills, fillAt(first), fillAt(end), (fill, sign) => this.#countFill(fill, sign))
    const { eventTx } = books
    this.#events = slideWindow(this.#events, eventTx.lowerBound(first), eventTx.lowerBound(end), (event, sign) =>
      this.#countEvent(event, sign),
    )
  }

  #countFill(fill: number, sign: 1 | -1): void {
    const { facts } = this.#ledger
    if (this.#includes?.(this.#ledger.token(facts.fillToken.get(fill)).market) === false) return
    const wallet = facts.maker.get(fill)
    this.#add("usd", wallet, sign * facts.usd.get(fill))
    this.#add("shares", wallet, sign * facts.shares.get(fill))
  }

  #countEvent(event: number, sign: 1 | -1): void {
    const { books } = this.#ledger
    const position = books.eventPosition.get(event)
    if (this.#includes?.(this.#ledger.token(books.tokenOf.get(position)).market) === false) return
    this.#add("pnl", books.walletOf.get(position), sign * books.eventAmount.get(event))
  }

  #add(measure: Measure, wallet: number, amount: Micro): void {
    const sums = this.#sums[measure]
    sums[wallet] = (sums[wallet] ?? 0) + amount
  }
}

/** Moves a window over numbered rows forward and counts the rows that enter and leave it. */
const slideWindow = (
  [from, to]: readonly [number, number],
  newFrom: number,
  newTo: number,
  count: (row: number, sign: 1 | -1) => void,
): readonly [number, number] => {
  const first = Math.max(from, newFrom)
  const end = Math.max(to, newTo)
  for (let row = from; row < Math.min(first, to); row++) count(row, -1)
  for (let row = Math.max(to, first); row < end; row++) count(row, 1)
  return [first, end]
}

class Ranking {
  readonly wallets: ReadonlyArray<number>
  readonly #ranks = new Map<number, number>()

  constructor(wallets: ReadonlyArray<number>) {
    this.wallets = wallets
    wallets.forEach((wallet, index) => {
      this.#ranks.set(wallet, index + 1)
    })
  }

  /** From 1; undefined for unranked wallets. */
  rankOf(wallet: number): number | undefined {
    return this.#ranks.get(wallet)
  }
}

/** Boards by period and category, created on demand. */
export class Boards {
  readonly #ledger: Ledger
  readonly #boards = new Map<string, Board>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  get(period: Period, category: Category): Board {
    const key = `${period} ${category}`
    const board = this.#boards.get(key) ?? new Board(this.#ledger, period, category)
    this.#boards.set(key, board)
    board.refresh()
    return board
  }
}
