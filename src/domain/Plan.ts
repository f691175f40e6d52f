import { Schema } from "effect"

/** Plans in ascending order. */
export const plans = ["free", "starter", "growth", "pro", "enterprise"] as const

export const Plan = Schema.Literals(plans)
export type Plan = typeof Plan.Type

export const isAtLeast = (plan: Plan, minPlan: Plan): boolean => plans.indexOf(plan) >= plans.indexOf(minPlan)

/** Limits of a plan; `null` is unlimited. */
export interface Allowance {
  /** REST requests per minute of the account. */
  readonly standardPerMinute: number
  /** V3 trade histories per minute, which also count as standard requests. */
  readonly heavyPerMinute: number
  readonly keys: number
  readonly eventConnections: number | null
  readonly bookConnections: number | null
  readonly sessionSecondsPerDay: number | null
  readonly snapshotCount: number
  readonly sinceSeconds: number
  readonly webhooks: number
  readonly deliveriesPerDay: number | null
}

const growth: Allowance = {
  standardPerMinute: 2000,
  heavyPerMinute: 1500,
  keys: 10,
  eventConnections: 50,
  bookConnections: 50,
  sessionSecondsPerDay: null,
  snapshotCount: 200,
  sinceSeconds: 300,
  webhooks: 50,
  deliveriesPerDay: 500_000,
}

export const allowances: Readonly<Record<Plan, Allowance>> = {
  free: {
    standardPerMinute: 60,
    heavyPerMinute: 0,
    keys: 1,
    eventConnections: 1,
    bookConnections: 1,
    sessionSecondsPerDay: 3600,
    snapshotCount: 20,
    sinceSeconds: 30,
    webhooks: 0,
    deliveriesPerDay: 0,
  },
  starter: {
    standardPerMinute: 1000,
    heavyPerMinute: 1000,
    keys: 3,
    eventConnections: 10,
    bookConnections: 10,
    sessionSecondsPerDay: null,
    snapshotCount: 100,
    sinceSeconds: 120,
    webhooks: 10,
    deliveriesPerDay: 50_000,
  },
  growth,
  /** More posts of the social network, see `socialUnits`. */
  pro: growth,
  enterprise: {
    standardPerMinute: 4000,
    heavyPerMinute: 1500,
    keys: 25,
    eventConnections: null,
    bookConnections: null,
    sessionSecondsPerDay: null,
    snapshotCount: 500,
    sinceSeconds: 300,
    webhooks: 500,
    deliveriesPerDay: null,
  },
}
