import type { ClosedQuery, ClosedSort } from "./closedQuery.ts"

/**
 * Finds the first of a wallet's closed positions without reading all of them. Those of resolved tokens come in an order that
 * an index has; if enough of the ones that were read are certain, none of the others can precede them. Those of open tokens,
 * which are few, are read beside them.
 */
export interface Shortcut {
  /** SQL for the order, of a position `p` and its token `t`. */
  readonly order: string
  /** SQL condition on what is read. */
  readonly only: string
  /** How many are read for each that is wanted. */
  readonly factor: number
  /** SQL condition on a row of `nearest`, which has those that were read. */
  readonly isCertain: string
  /** Whether fewer than were asked for are all that there are. */
  readonly isWhole: boolean
}

/** Nothing pays more than 1 or less than 0, which is what most outcomes pay. */
const byPayout = (payout: number): Shortcut => ({
  order: "p.token",
  only: `t.payout = ${payout}`,
  factor: 1,
  isCertain: "true",
  isWhole: false,
})

const shortcuts: Partial<Record<`${ClosedSort} ${ClosedQuery["direction"]}`, Shortcut>> = {
  // No position closes after its token was resolved, so that all others closed before the last one that was read.
  "TIMESTAMP DESC": {
    order: "t.resolved_at desc",
    only: "true",
    factor: 4,
    isCertain: "sort > (select min(resolved_at) from nearest)",
    isWhole: true,
  },
  "PRICE DESC": byPayout(1_000_000),
  "PRICE ASC": byPayout(0),
}

/** Further back than this, all positions of a wallet are read sooner. */
const most = 1_000

export const shortcutFor = ({ sortBy, direction, limit, offset }: ClosedQuery): Shortcut | undefined =>
  limit + offset > most ? undefined : shortcuts[`${sortBy} ${direction}`]
