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
  /** The key that owns it; equal to the address for an EOA. */
  readonly owner: string
  readonly kind: WalletKind
  readonly behaviour: Behaviour
  /** Public user name, if any. */
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

/** A score at a moment of a game. */
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

/** The first outcome wins if the price of a coin ends in this range. The upper limit is not part of it. */
export interface PriceRange {
  readonly coin: number
  readonly from: number | undefined
  readonly to: number | undefined
}

/** What decides a market. */
export type Rule =
  /**
   * Up or down from `openAt` to `closeAt`, by the mean of the last 60 s or by the spot price. A tie is Up, except in
   * daily markets, where it is half.
   */
  | {
      readonly kind: "updown"
      readonly coin: number
      readonly openAt: Millis
      readonly closeAt: Millis
      readonly by: "twap60" | "spot"
      readonly tie: "up" | "half"
    }
  /** A hidden, predetermined result: the winning outcome, 0 or 1, or `half` for a 50/50 result. */
  | { readonly kind: "fate"; readonly winner: 0 | 1 | "half"; readonly range?: PriceRange }
  /** The first outcome wins if every leg does. */
  | { readonly kind: "combo" }
  /** As another market, for which it stands in the newer contracts. */
  | { readonly kind: "migrated" }

export interface FeeSchedule {
  readonly rate: number
  readonly exponent: number
  readonly rebateRate: number
}

/** A market as planned by the catalogue; the world lists it when it is created. */
export interface MarketPlan {
  readonly slug: string
  readonly question: string
  readonly outcomes: readonly [string, string]
  readonly groupItemTitle: string
  readonly rule: Rule
  /** End of trading; the result is reported later. */
  readonly endsAt: Millis
  readonly resolvesAt: Millis
  /** Trading activity relative to other markets. */
  readonly weight: number
  /** Initial probability of the first outcome, in 1/1000. */
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
  /** Window open of an up/down market, start of a game; otherwise `createdAt`. */
  readonly startsAt: Millis
  readonly endsAt: Millis
  /** Exactly one of the markets resolves to its first outcome (Yes). */
  readonly negRisk: boolean
  readonly recurrence: string | undefined
  readonly markets: ReadonlyArray<MarketPlan>
}

/** A future event, before it is planned in full. */
export interface EventDraft {
  readonly createdAt: Millis
  /** An event planned before the history starts is included only if this moment comes after the start. */
  readonly relevantUntil: Millis
  readonly make: (createdAt: Millis) => EventPlan
}

/** Creates one kind of events; its output for a UTC day depends on that day alone. */
export interface DraftSource {
  /** Days before the start of history whose events may still be relevant. */
  readonly lookbackDays: number
  /** The drafts created on a day; `date` counts days since 1970. */
  readonly draftsOf: (date: number) => ReadonlyArray<EventDraft>
}
