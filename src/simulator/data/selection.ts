import type { Market } from "../world/Venue.ts"
import type { Ledger } from "./Ledger.ts"
import { invalid, type Params } from "./Params.ts"

/** An unknown wallet, which has no activity. */
const unknownWallet = -2

const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text)
const isCondition = (text: string) => /^0x[0-9a-f]{64}$/i.test(text)

/** The index of the requested wallet. */
export const walletIn = (ledger: Ledger, params: Params): number | undefined => {
  const user = params.text("user")
  if (user === undefined) return undefined
  if (!isAddress(user)) throw invalid("user is not a valid address", "user")
  return ledger.walletWith(user)?.index ?? unknownWallet
}

export const requiredWallet = (ledger: Ledger, params: Params): number => {
  params.required("user")
  return walletIn(ledger, params) ?? unknownWallet
}

/** The markets with the given condition ids; unknown ones are omitted. */
export const namedMarkets = (ledger: Ledger, params: Params, name: string, maxIds: number): ReadonlyArray<number> => {
  const conditions = params.list(name)
  if (conditions.length > maxIds) throw invalid(`${name} takes at most ${maxIds} ids`, name)
  return conditions.flatMap((condition) => {
    if (!isCondition(condition)) throw invalid(`${name} is not a valid condition id`, name)
    return ledger.marketWith(condition)?.index ?? []
  })
}

const eventMarkets = (ledger: Ledger, params: Params): ReadonlyArray<number> =>
  params.list("event_id").flatMap((id) => {
    if (!/^\d{1,15}$/.test(id)) throw invalid("event_id is not a valid integer", "event_id")
    return ledger.eventWithId(id)?.markets ?? []
  })

export interface MarketSelector {
  readonly name: "market" | "condition"
  readonly maxIds: number
}

export const byMarket: MarketSelector = { name: "market", maxIds: 500 }
export const byCondition: MarketSelector = { name: "condition", maxIds: 20 }

/** The requested markets, by condition or by event; undefined for all. */
export const marketsIn = (
  ledger: Ledger,
  params: Params,
  { name, maxIds }: MarketSelector,
): ReadonlySet<number> | undefined => {
  const hasEvents = params.list("event_id").length > 0
  if (params.list(name).length === 0) return hasEvents ? new Set(eventMarkets(ledger, params)) : undefined
  if (hasEvents) throw invalid(`${name} and event_id are mutually exclusive`, "event_id")
  return new Set(namedMarkets(ledger, params, name, maxIds))
}

const maxConditions = 20

/** A combo condition has 31 bytes; clients may pad it to 32. */
const comboConditionPattern = /^0x03[0-9a-f]{60}(00)?$/i

/** The requested combos; undefined for all. */
export const combosIn = (
  ledger: Ledger,
  params: Params,
  name: "condition" | "market_id",
): ReadonlySet<Market> | undefined => {
  const conditions = params.list(name)
  if (conditions.length === 0) return undefined
  if (conditions.length > maxConditions) throw invalid(`${name} takes at most ${maxConditions} ids`, name)
  return new Set(
    conditions.flatMap((condition) => {
      if (!comboConditionPattern.test(condition)) throw invalid(`${name} is not a valid combo condition id`, name)
      return ledger.marketWith(condition.toLowerCase().padEnd(66, "0")) ?? []
    }),
  )
}
