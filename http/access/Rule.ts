import { Context } from "effect"
import { Transform } from "effect/unstable/httpapi/OpenApi"
import { anyKey, type Rule } from "#src/access/Rule.ts"
import type { Plan } from "#src/domain/Plan.ts"
import type { Bucket } from "#src/limits/model.ts"

export const AccessRule = Context.Reference<Rule>("presage/http/AccessRule", { defaultValue: () => anyKey })

const secondsOf = ({ windowMillis }: Bucket) => windowMillis / 1000

/** Every plan below `starter` is free. */
const refusedWith = (minPlan: Plan) => (minPlan === "starter" ? "402" : "402 for a free key, 403 for other plans")

/** The rule in words, for the documentation. */
const phrasesOf = ({ key, minPlan, heavy, perKey, units }: Rule): ReadonlyArray<string> => [
  ...(key === "optional" ? ["the key is optional"] : []),
  ...(minPlan === "free" ? [] : [`requires the ${minPlan} plan or above (otherwise ${refusedWith(minPlan)})`]),
  ...(heavy ? ["also counts against the heavy limit"] : []),
  ...(perKey === undefined ? [] : [`at most ${perKey.limit} per ${secondsOf(perKey)} s per key`]),
  ...(units === undefined ? [] : [`each answer with status 200 uses one monthly ${units.name} unit`]),
]

const sentenceOf = (rule: Rule): ReadonlyArray<string> => {
  const phrases = phrasesOf(rule)
  return phrases.length === 0 ? [] : [`**Access**: ${phrases.join("; ")}.`]
}

const text = { type: "string" }

const paymentNeeded = {
  description: "The plan of the key is free; this endpoint requires a paid plan",
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

/** Statuses of access control. */
const accessStatuses = ["401", "403", "429"]

const withoutAccess = ({ responses, ...operation }: Operation): Record<string, unknown> => ({
  ...operation,
  responses: Object.fromEntries(Object.entries(responses ?? {}).filter(([status]) => !accessStatuses.includes(status))),
})

const withRule =
  (rule: Rule) =>
  ({ description, responses, ...operation }: Operation): Record<string, unknown> => ({
    ...operation,
    description: [description, ...sentenceOf(rule)].filter(Boolean).join("\n\n"),
    responses: { ...responses, ...(rule.minPlan === "free" ? {} : { "402": paymentNeeded }) },
    "x-access": {
      key: rule.key,
      least_plan: rule.minPlan,
      heavy: rule.heavy,
      ...(rule.perKey && { per_key: { limit: rule.perKey.limit, seconds: secondsOf(rule.perKey) } }),
      ...(rule.units && { monthly_units: rule.units.name }),
    },
  })

const access = (given: Partial<Rule>): Context.Context<never> => {
  const rule = { ...anyKey, ...given }
  return Context.make(Transform, rule.key === "none" ? withoutAccess : withRule(rule)).pipe(
    Context.add(AccessRule, rule),
  ) as Context.Context<unknown> as Context.Context<never>
}

export const openToAll = () => access({ key: "none" })

/** A caller with a key is authenticated. Refused while Redis is unavailable, so that nothing is issued unlimited. */
export const keyOptional = () => access({ key: "optional", needsRedis: true })

type Costs = Partial<Pick<Rule, "heavy" | "perKey" | "units">>

/** One line on an endpoint: `.annotateMerge(paidOnly())`. Without one, any key is admitted. */
export const paidOnly = (costs: Costs = {}) => atLeast("starter", costs)

export const atLeast = (minPlan: Plan, costs: Costs = {}) => access({ minPlan, ...costs })

export const costing = (costs: Costs) => access(costs)
