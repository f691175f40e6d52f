import type { Exchange } from "../../contracts.ts"
import type { Log } from "../transfers.ts"
import { settleFirst } from "./first.ts"
import type { Match } from "./orders.ts"
import { settleSecond } from "./second.ts"
import { settleThird } from "./third.ts"

const settlements: Readonly<Record<Exchange["generation"], (match: Match) => ReadonlyArray<Log>>> = {
  1: settleFirst,
  2: settleSecond,
  3: settleThird,
}

/** The logs of a transaction that settles a match, in the contract's order. */
export const settle = (match: Match): ReadonlyArray<Log> => settlements[match.positions.exchange.generation](match)
