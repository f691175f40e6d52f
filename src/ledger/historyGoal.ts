import { Context } from "effect"

/** Days of the real venue that are read unless something else is set. */
export const usualDays = 30

/** Fewer days where the disk has no room for the usual ones; the start finds out. */
export const AutoHistoryDays = Context.Reference<number>("presage/ledger/AutoHistoryDays", {
  defaultValue: () => usualDays,
})

/** How far back the ledger is to reach. */
export type HistoryGoal =
  | { readonly _tag: "All" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Days"; readonly days: number }
  | { readonly _tag: "Block"; readonly block: number }
  | { readonly _tag: "Time"; readonly at: number }

export const goalPattern =
  /^(auto|all|none|[1-9]\d{0,3}d|since:(\d{1,10}|20\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])))$/

const lastDays = (days: number): HistoryGoal => (days === 0 ? { _tag: "None" } : { _tag: "Days", days })

/** Parses what `goalPattern` accepts. `auto` is everything of the simulated venue, and some days of the real one. */
export const parseGoal = (text: string, isSimulated: boolean, autoDays = usualDays): HistoryGoal => {
  if (text === "auto") return isSimulated ? { _tag: "All" } : lastDays(autoDays)
  if (text === "all") return { _tag: "All" }
  if (text === "none") return { _tag: "None" }
  const [, since] = /^since:(.*)$/.exec(text) ?? []
  if (since === undefined) return { _tag: "Days", days: Number.parseInt(text, 10) }
  return /^\d+$/.test(since) ? { _tag: "Block", block: Number(since) } : { _tag: "Time", at: Date.parse(since) }
}

export interface BlockTime {
  readonly number: number
  readonly at: number
}
