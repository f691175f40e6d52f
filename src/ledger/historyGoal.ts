/** How far back the ledger is to reach. */
export type HistoryGoal =
  | { readonly _tag: "All" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Days"; readonly days: number }
  | { readonly _tag: "Block"; readonly block: number }
  | { readonly _tag: "Time"; readonly at: number }

export const goalPattern =
  /^(auto|all|none|[1-9]\d{0,3}d|since:(\d{1,10}|20\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])))$/

/** Parses what `goalPattern` accepts. `auto` is everything of the simulated venue, and 30 days of the real one. */
export const parseGoal = (text: string, isSimulated: boolean): HistoryGoal => {
  if (text === "auto") return isSimulated ? { _tag: "All" } : { _tag: "Days", days: 30 }
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
