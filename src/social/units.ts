import type { MonthlyUnits } from "#src/access/Rule.ts"

/** Social requests of an account in a UTC month. Also the price of one social query of another endpoint. */
export const socialUnits: MonthlyUnits = {
  name: "social",
  perMonth: { free: 0, starter: 500, growth: 1_000, pro: 1_500, enterprise: 5_000 },
}
