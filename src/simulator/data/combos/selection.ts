import type { Market } from "../../world/Venue.ts"
import type { Ledger } from "../Ledger.ts"
import type { Params } from "../Params.ts"
import { invalid } from "../refusal.ts"

const mostConditions = 20

/** A combo's condition has 31 bytes; some write it as the word of 32 that its positions begin with. */
const conditionDigits = /^0x03[0-9a-f]{60}(00)?$/i

/** The combos that are named; undefined for all. */
export const combosIn = (
  ledger: Ledger,
  params: Params,
  name: "condition" | "market_id",
): ReadonlySet<Market> | undefined => {
  const conditions = params.list(name)
  if (conditions.length === 0) return undefined
  if (conditions.length > mostConditions) throw invalid(`${name} takes at most ${mostConditions} ids`, name)
  return new Set(
    conditions.flatMap((condition) => {
      if (!conditionDigits.test(condition)) throw invalid(`${name} is not a valid combo condition id`, name)
      return ledger.marketWith(condition.toLowerCase().padEnd(66, "0")) ?? []
    }),
  )
}
