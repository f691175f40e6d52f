/** Whole numbers of 10⁻⁶, as on chain: collateral and outcome shares. */
export type Micro = number
/** Milliseconds since 1970. */
export type Millis = number

export type WalletKind = "proxy" | "safe" | "deposit" | "eoa"

/** How a wallet trades. */
export type Behaviour = "maker" | "taker" | "whale" | "bot" | "one-timer"

export interface Wallet {
  readonly index: number
  /** Lower-case, with 0x. */
  readonly address: string
  /** The key that owns it; the same as the address for a plain account. */
  readonly owner: string
  readonly kind: WalletKind
  readonly behaviour: Behaviour
  /** Public user name, where one was chosen. */
  readonly name: string | undefined
  readonly pseudonym: string
}

export interface Builder {
  /** 32 bytes of hexadecimal digits, with 0x. */
  readonly code: string
  readonly name: string
}

export interface Tag {
  readonly id: string
  readonly label: string
  readonly slug: string
}

export interface Series {
  readonly id: string
  readonly slug: string
  readonly title: string
  /** As the venue writes it: 5m, 15m, hourly, 4h, daily, weekly, monthly. */
  readonly recurrence: string
  /** Index into `coins`, for crypto series. */
  readonly coin: number | undefined
  /** League code, for sports series. */
  readonly league: string | undefined
}

export interface Team {
  readonly id: number
  readonly name: string
  readonly league: string
  readonly abbreviation: string
  readonly alias: string
  readonly color: string
  readonly record: string
}

/** One moment of a game; a game is a list of them in order of time. */
export interface ScoreChange {
  readonly at: Millis
  readonly home: number
  readonly away: number
  readonly period: string
  readonly elapsed: string
}

export interface Game {
  readonly id: number
  readonly league: string
  readonly home: Team
  readonly away: Team
  readonly startsAt: Millis
  readonly endsAt: Millis
  readonly scores: ReadonlyArray<ScoreChange>
}

/** What decides a market. */
export type Rule =
  /**
   * Up or down from `openAt` to `closeAt`, by the mean of the last 60 s or by the price of the second. A tie is Up, but
   * for a day, where it is half.
   */
  | {
      readonly kind: "updown"
      readonly coin: number
      readonly openAt: Millis
      readonly closeAt: Millis
      readonly by: "twap60" | "spot"
      readonly tie: "up" | "half"
    }
  /** A fate known from the start but shown to nobody: the winning outcome, 0 or 1, or `half` for a 50/50 result. */
  | { readonly kind: "fate"; readonly winner: 0 | 1 | "half" }
  /** The first outcome wins if every leg does. */
  | { readonly kind: "combo" }

export interface FeeSchedule {
  readonly rate: number
  readonly exponent: number
  readonly rebateRate: number
}

/** A market to be, as the catalogue plans it; the engine gives it its place in the world when it is created. */
export interface MarketPlan {
  readonly slug: string
  readonly question: string
  readonly outcomes: readonly [string, string]
  readonly groupItemTitle: string
  readonly rule: Rule
  /** Trading ends; the result is reported some time after. */
  readonly endsAt: Millis
  readonly resolvesAt: Millis
  /** How much it is traded, relative to others. */
  readonly weight: number
  /** Chance of the first outcome at the start, in parts of 1,000. */
  readonly startPrice: number
  readonly fees: FeeSchedule | undefined
  readonly sportsMarketType: string | undefined
  readonly line: number | undefined
  readonly tickSize: "0.01" | "0.001"
}

export interface EventPlan {
  readonly slug: string
  readonly title: string
  readonly description: string
  /** politics, sports, crypto, culture, weather, … */
  readonly category: string
  readonly tags: ReadonlyArray<Tag>
  readonly series: Series | undefined
  readonly game: Game | undefined
  readonly createdAt: Millis
  /** Window open of an up/down market, start of a game; otherwise the creation. */
  readonly startsAt: Millis
  readonly endsAt: Millis
  /** Exactly one of the markets is won by its first outcome (Yes). */
  readonly negRisk: boolean
  readonly recurrence: string | undefined
  readonly markets: ReadonlyArray<MarketPlan>
}
