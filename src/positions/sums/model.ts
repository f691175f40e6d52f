import type { KeptScope } from "#src/leaderboards/BoardQuery.ts"
import type { AsOf } from "#src/ledger/asOf.ts"

/** Sums over positions, as a row of the all-time leaderboard has them. Money in 10⁻⁶. */
export interface PnlSums {
  readonly realized: bigint
  /** Of the gains alone. */
  readonly profit: bigint
  readonly wins: number
  readonly losses: number
  readonly positions: number
  readonly open: number
  readonly volume: bigint
  readonly unrealized: bigint
  /** Positions of unknown cost, which the other figures leave out except for their number and volume. */
  readonly partial: number
}

export const noSums: PnlSums = {
  realized: 0n,
  profit: 0n,
  wins: 0,
  losses: 0,
  positions: 0,
  open: 0,
  volume: 0n,
  unrealized: 0n,
  partial: 0,
}

/** Which positions are added up: all, those of a category or tag, or of some tokens. */
export type Within = KeptScope | { readonly kind: "tokens"; readonly tokens: ReadonlyArray<number> }

/** A wallet's sums; in the order in which wallets were asked for. */
export interface Summaries {
  readonly sums: ReadonlyArray<PnlSums>
  /** Undefined while the ledger is empty. */
  readonly asOf: AsOf | undefined
}
