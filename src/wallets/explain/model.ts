import { Schema } from "effect"
import type { Shares } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import type { AsOf } from "#src/ledger/asOf.ts"
import type { Position } from "#src/ledger/positions/model.ts"

/** A wallet and a token. */
export interface Pair {
  readonly wallet: number
  readonly token: number
}

/** Where a log is on the chain; `at` in milliseconds. */
export interface Place {
  readonly block: number
  readonly logIndex: number
  readonly at: number
}

/** What a line shows of a position. Whole numbers of 10⁻⁶. */
export type State = Pick<Position, "shares" | "cost" | "realized" | "partial">

/** A position whose facts are listed: not there yet, there, or with an opening balance that no fact has touched yet. */
export type Target =
  | { readonly kind: "none" }
  | { readonly kind: "opening"; readonly shares: Shares }
  | { readonly kind: "held"; readonly state: State }

/** What a position begins with: facts that were dropped, or shares from before the ledger. */
export type Beginning = "carried_forward" | "opening_balance"

/** A fact and a position that it changed. */
export interface Line extends Place {
  readonly fact: PositionFact<number> | { readonly kind: Beginning }
  readonly token: number
  readonly before: State
  readonly after: State
}

/** The end of a page: the positions before the log of its last line, and how many lines of that log were shown. */
export interface Continuation extends Place {
  /** The first bytes of the block's hash: another block in its place may have other facts before it. */
  readonly hash: number
  readonly shown: number
  readonly targets: ReadonlyArray<Target>
}

export interface ExplainedToken {
  readonly id: number
  readonly tokenId: string
  readonly outcome: number | null
}

export interface Explanation {
  readonly lines: ReadonlyArray<Line>
  readonly tokens: ReadonlyArray<ExplainedToken>
  /** Transactions by `block:logIndex`. */
  readonly transactions: ReadonlyMap<string, string>
  /** Addresses by id, of the other side of transfers. */
  readonly addresses: ReadonlyMap<number, string>
  /** The stored positions, in the order of the tokens. */
  readonly stored: ReadonlyArray<State | undefined>
  readonly next: Continuation | undefined
  readonly asOf: AsOf | undefined
}

/** The cost of shares follows from more facts of other positions than one answer may read. */
export class TooManyFacts extends Schema.TaggedError<TooManyFacts>()("TooManyFacts", { most: Schema.Int }) {}

/** The chain was reorganised behind the page that is asked for. */
export class ChainChanged extends Schema.TaggedError<ChainChanged>()("ChainChanged", {}) {}
