import { Schema } from "effect"

/** A balance of the ledger that the node contradicts. Balances are whole numbers of 10⁻⁶, as text. */
export const Difference = Schema.Struct({
  wallet: Schema.String,
  token_id: Schema.String,
  ledger: Schema.String.annotate({ description: "Shares in the ledger, in millionths" }),
  node: Schema.String.annotate({ description: "Balance on the chain, in millionths" }),
})
export type Difference = typeof Difference.Type

/** Balances of the ledger compared with the node's at one block. */
export interface Comparison {
  readonly block: number
  readonly wallets: number
  readonly compared: number
  readonly differences: ReadonlyArray<Difference>
}

/** Result of the last check, as it is stored. */
export const CheckResult = Schema.Struct({
  block: Schema.NullOr(Schema.Number),
  wallets: Schema.Number,
  compared: Schema.Number,
  differences: Schema.Number,
  samples: Schema.Array(Difference),
  /** Why nothing was compared. */
  problem: Schema.NullOr(Schema.String),
})
export type CheckResult = typeof CheckResult.Type

/** The ledger has no balances that the node could confirm. */
export class NotComparable extends Schema.TaggedError<NotComparable>()("NotComparable", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}
