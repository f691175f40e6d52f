import { Result, Schema } from "effect"
import { paddedCondition } from "#src/domain/ConditionId.ts"
import { closestName } from "#src/platform/text/spelling.ts"
import { eventTypeInfos } from "../eventTypes.ts"
import type { FilterName, Filters, WebhookEventType } from "../model.ts"
import { filterNames, type GivenFilters } from "./filterFields.ts"

/** The filters are invalid for the event types. */
export class FiltersRefused extends Schema.TaggedError<FiltersRefused>()("FiltersRefused", {
  reason: Schema.String,
  /** Path in the request. */
  field: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

const listed = (names: ReadonlyArray<FilterName>) => (names.length === 0 ? "none" : names.join(", "))
const accepted = (type: WebhookEventType) => `${type} accepts ${listed(eventTypeInfos[type].filters)}.`

const unknownFilter = (types: ReadonlyArray<WebhookEventType>, given: string) => {
  const name = given.length > 100 ? `${given.slice(0, 100)}…` : given
  const near = closestName(given, filterNames)
  const meant = near === undefined ? "" : ` Did you mean "${near}"?`
  return new FiltersRefused({
    reason: `There is no filter "${name}".${meant}`,
    field: `filters.${name}`,
    hint: types.map(accepted).join(" "),
  })
}

const notAllowed = (type: WebhookEventType, name: FilterName) =>
  new FiltersRefused({
    reason: `The filter "${name}" does not apply to ${type}, and a filter must apply to every event type of its webhook.`,
    field: `filters.${name}`,
    hint: `${accepted(type)} Use a separate webhook for ${type}, or remove the filter.`,
  })

const missing = (type: WebhookEventType, name: FilterName) =>
  new FiltersRefused({
    reason: `${type} requires the filter "${name}".`,
    field: `filters.${name}`,
    hint: accepted(type),
  })

const lower = (text: string) => text.toLowerCase()

const normalisers: Readonly<Partial<Record<FilterName, (text: string) => string>>> = {
  wallet_addresses: lower,
  receiver_addresses: lower,
  condition_ids: paddedCondition,
  builder_codes: lower,
  tags: lower,
  token_ids: (text) => BigInt(text).toString(),
  side: (text) => text.toUpperCase(),
}

/** Normalizes a value, so that matching compares exactly. */
const normalised = (name: FilterName, value: string | number | ReadonlyArray<string>) => {
  // Millionths, like amounts; adding 0 turns -0 into 0.
  if (typeof value === "number") return Number(value.toFixed(6)) + 0
  const normalise = normalisers[name] ?? ((text) => text)
  return typeof value === "string" ? normalise(value) : [...new Set(value.map(normalise))]
}

/**
 * Validates that every type accepts each filter and has those it requires; returns them normalized and in one order.
 */
export const checkFilters = (
  types: ReadonlyArray<WebhookEventType>,
  given: GivenFilters,
): Result.Result<Filters, FiltersRefused> => {
  const unknown = Object.keys(given).find((name) => !filterNames.some((known) => known === name))
  if (unknown !== undefined) return Result.fail(unknownFilter(types, unknown))
  const kept: Partial<Record<FilterName, unknown>> = {}
  for (const name of filterNames) {
    const value = given[name]
    if (value === undefined || (typeof value === "object" && value.length === 0)) continue
    const refusing = types.find((type) => !eventTypeInfos[type].filters.includes(name))
    if (refusing !== undefined) return Result.fail(notAllowed(refusing, name))
    kept[name] = normalised(name, value)
  }
  for (const type of types) {
    const lacking = eventTypeInfos[type].required.find((name) => kept[name] === undefined)
    if (lacking !== undefined) return Result.fail(missing(type, lacking))
  }
  return Result.succeed(kept as Filters)
}
