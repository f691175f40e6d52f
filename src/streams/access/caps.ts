import { allowances, type Plan, plans } from "#src/domain/Plan.ts"

/** Limited per account: connections to events, connections to order books, and unfiltered subscriptions. */
export const leaseKinds = ["events", "books", "firehose"] as const
export type LeaseKind = (typeof leaseKinds)[number]

/** `null`: no limit. */
export type Cap = number | null

/** Parses the setting `ws.firehoses`. */
export const firehosesOf = (setting: string): Readonly<Record<Plan, Cap>> => {
  const parts = setting.split(",")
  const capAt = (i: number): Cap => (parts[i] === "unlimited" ? null : Number(parts[i]))
  return Object.fromEntries(plans.map((plan, i) => [plan, capAt(i)])) as Record<Plan, Cap>
}

export const capOf = (plan: Plan, kind: LeaseKind, firehoses: Readonly<Record<Plan, Cap>>): Cap => {
  if (kind === "firehose") return firehoses[plan]
  return kind === "events" ? allowances[plan].eventConnections : allowances[plan].bookConnections
}
