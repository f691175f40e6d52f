import { Context } from "effect"
import { Transform } from "effect/unstable/httpapi/OpenApi"
import type { Plan } from "#src/domain/Plan.ts"
import type { Bucket } from "#src/limits/model.ts"

/** Units of a month, of which an answer with status 200 uses one. */
export interface MonthlyUnits {
  readonly name: string
  readonly perMonth: Readonly<Record<Plan, number>>
}

/** Who may ask an endpoint, and what it costs them. */
export interface Rule {
  /** Where it is optional, one that is given must be good. */
  readonly key: "needed" | "optional" | "none"
  readonly least: Plan
  /** How a plan that is too low is refused. */
  readonly refusal: 402 | 403
  /** Refused while Redis is away, where others go on with what the process itself remembers. */
  readonly needsRedis: boolean
  /** Counts as a trade history of V3 as well. */
  readonly heavy: boolean
  /** A limit of this endpoint for each key, beside that of the account. */
  readonly perKey: Bucket | undefined
  readonly units: MonthlyUnits | undefined
}

export const anyKey: Rule = {
  key: "needed",
  least: "free",
  refusal: 403,
  needsRedis: false,
  heavy: false,
  perKey: undefined,
  units: undefined,
}

export const AccessRule = Context.Reference<Rule>("presage/http/AccessRule", { defaultValue: () => anyKey })

const secondsOf = ({ windowMillis }: Bucket) => windowMillis / 1000

/** The rule in words, for whoever reads the documentation. */
const spelled = ({ key, least, refusal, heavy, perKey, units }: Rule): ReadonlyArray<string> => [
  ...(key === "optional" ? ["a key is not needed"] : []),
  ...(least === "free" ? [] : [`the ${least} plan or above (else ${refusal})`]),
  ...(heavy ? ["counts against the heavy limit as well"] : []),
  ...(perKey === undefined ? [] : [`at most ${perKey.limit} per ${secondsOf(perKey)} s and key`]),
  ...(units === undefined ? [] : [`each answer with status 200 uses one ${units.name} unit of the month`]),
]

const sentenceOf = (rule: Rule): ReadonlyArray<string> => {
  const words = spelled(rule)
  return words.length === 0 ? [] : [`**Access**: ${words.join("; ")}.`]
}

const text = { type: "string" }

const paymentNeeded = {
  description: "The key's plan is free; this endpoint needs a paid one",
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["error", "plan", "required_plan"],
        properties: { error: text, plan: text, required_plan: text },
      },
    },
  },
}

interface Operation {
  readonly description?: string
  readonly responses?: Readonly<Record<string, unknown>>
}

/** What the gate answers, to requests that pass it. */
const ofTheGate = ["401", "403", "429"]

const withoutGate = ({ responses, ...operation }: Operation): Record<string, unknown> => ({
  ...operation,
  responses: Object.fromEntries(Object.entries(responses ?? {}).filter(([status]) => !ofTheGate.includes(status))),
})

const withRule =
  (rule: Rule) =>
  ({ description, responses, ...operation }: Operation): Record<string, unknown> => ({
    ...operation,
    description: [description, ...sentenceOf(rule)].filter(Boolean).join("\n\n"),
    responses: { ...responses, ...(rule.least !== "free" && rule.refusal === 402 ? { "402": paymentNeeded } : {}) },
    "x-access": {
      key: rule.key,
      least_plan: rule.least,
      heavy: rule.heavy,
      ...(rule.perKey && { per_key: { limit: rule.perKey.limit, seconds: secondsOf(rule.perKey) } }),
      ...(rule.units && { monthly_units: rule.units.name }),
    },
  })

const access = (given: Partial<Rule>): Context.Context<never> => {
  const rule = { ...anyKey, ...given }
  return Context.make(Transform, rule.key === "none" ? withoutGate : withRule(rule)).pipe(
    Context.add(AccessRule, rule),
  ) as Context.Context<unknown> as Context.Context<never>
}

export const openToAll = () => access({ key: "none" })

/** Whoever brings a key is identified by it; nothing is given away while Redis is away. */
export const keyOptional = () => access({ key: "optional", needsRedis: true })

type Costs = Partial<Pick<Rule, "heavy" | "perKey" | "units">>

/** One line on an endpoint: `.annotateMerge(paidOnly())`. Without one, any key may ask. */
export const paidOnly = (costs: Costs = {}) => access({ least: "starter", refusal: 402, ...costs })

/** For what a plan is too low for, rather than what has to be paid for. */
export const atLeast = (least: Plan, costs: Costs = {}) => access({ least, refusal: 403, ...costs })

export const costing = (costs: Costs) => access(costs)
