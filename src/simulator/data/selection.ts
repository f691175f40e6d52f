import type { Ledger } from "./Ledger.ts"
import type { Params } from "./Params.ts"
import { invalid } from "./refusal.ts"

/** Stands for somebody who is not known here and so has done nothing. */
export const nobody = -2

const isAddress = (text: string) => /^0x[0-9a-f]{40}$/i.test(text)
const isCondition = (text: string) => /^0x[0-9a-f]{64}$/i.test(text)

/** The number of the wallet that is asked about. */
export const walletIn = (ledger: Ledger, params: Params): number | undefined => {
  const user = params.text("user")
  if (user === undefined) return undefined
  if (!isAddress(user)) throw invalid("user is not a valid address", "user")
  return ledger.walletWith(user)?.index ?? nobody
}

export const requiredWallet = (ledger: Ledger, params: Params): number => {
  params.required("user")
  return walletIn(ledger, params) ?? nobody
}

/** The markets named by their conditions; those that do not exist are left out. */
export const namedMarkets = (ledger: Ledger, params: Params, name: string, most: number): ReadonlyArray<number> => {
  const conditions = params.list(name)
  if (conditions.length > most) throw invalid(`${name} takes at most ${most} ids`, name)
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
  readonly most: number
}

export const byMarket: MarketSelector = { name: "market", most: 500 }
export const byCondition: MarketSelector = { name: "condition", most: 20 }

/** The markets that are asked about, by condition or by event; undefined for all. */
export const marketsIn = (
  ledger: Ledger,
  params: Params,
  { name, most }: MarketSelector,
): ReadonlySet<number> | undefined => {
  const hasEvents = params.list("event_id").length > 0
  if (params.list(name).length === 0) return hasEvents ? new Set(eventMarkets(ledger, params)) : undefined
  if (hasEvents) throw invalid(`${name} and event_id are mutually exclusive`, "event_id")
  return new Set(namedMarkets(ledger, params, name, most))
}
