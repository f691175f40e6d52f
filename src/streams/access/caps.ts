import { allowances, type Plan, plans } from "#src/domain/Plan.ts"

/** What an account has a limited number of: connections with events, with order books, and unfiltered subscriptions. */
export const leaseKinds = ["events", "books", "firehose"] as const
export type LeaseKind = (typeof leaseKinds)[number]

/** Without a limit where it is `null`. */
export type Cap = number | null

/** Reads the setting `ws.firehoses`. */
export const firehosesOf = (setting: string): Readonly<Record<Plan, Cap>> => {
  const parts = setting.split(",")
  const capAt = (i: number): Cap => (parts[i] === "unlimited" ? null : Number(parts[i]))
  return Object.fromEntries(plans.map((plan, i) => [plan, capAt(i)])) as Record<Plan, Cap>
}

export const capOf = (plan: Plan, kind: LeaseKind, firehoses: Readonly<Record<Plan, Cap>>): Cap => {
  if (kind === "firehose") return firehoses[plan]
  return kind === "events" ? allowances[plan].eventConnections : allowances[plan].bookConnections
}
