import { Result, Schema } from "effect"
import { closest } from "#src/platform/text/spelling.ts"
import { eventTypeInfos } from "../eventTypes.ts"
import type { FilterName, Filters, WebhookEventType } from "../model.ts"
import { filterNames, type GivenFilters } from "./filterFields.ts"

/** These filters make no sense for these types of events. */
export class FiltersRefused extends Schema.TaggedError<FiltersRefused>()("FiltersRefused", {
  reason: Schema.String,
  /** Where in the request it is. */
  field: Schema.String,
  hint: Schema.String,
}) {
  override get message() {
    return this.reason
  }
}

const listed = (names: ReadonlyArray<FilterName>) => (names.length === 0 ? "none" : names.join(", "))
const takes = (type: WebhookEventType) => `${type} takes ${listed(eventTypeInfos[type].filters)}.`

const unknownFilter = (types: ReadonlyArray<WebhookEventType>, given: string) => {
  const name = given.length > 100 ? `${given.slice(0, 100)}…` : given
  const near = closest(given, filterNames)
  const meant = near === undefined ? "" : ` Did you mean "${near}"?`
  return new FiltersRefused({
    reason: `There is no filter "${name}".${meant}`,
    field: `filters.${name}`,
    hint: types.map(takes).join(" "),
  })
}

const notAllowed = (type: WebhookEventType, name: FilterName) =>
  new FiltersRefused({
    reason: `The filter "${name}" is not one of ${type}, and a filter must be one of each event type of its webhook.`,
    field: `filters.${name}`,
    hint: `${takes(type)} Use a webhook of its own for ${type}, or leave the filter out.`,
  })

const missing = (type: WebhookEventType, name: FilterName) =>
  new FiltersRefused({ reason: `${type} needs the filter "${name}".`, field: `filters.${name}`, hint: takes(type) })

const lower = (text: string) => text.toLowerCase()

const spelling: Readonly<Partial<Record<FilterName, (text: string) => string>>> = {
  wallet_addresses: lower,
  receiver_addresses: lower,
  condition_ids: lower,
  builder_codes: lower,
  tags: lower,
  token_ids: (text) => BigInt(text).toString(),
  side: (text) => text.toUpperCase(),
}

/** In one spelling, so that matching need not think of others. */
const normalised = (name: FilterName, value: string | number | ReadonlyArray<string>) => {
  // Millionths, as amounts are; adding 0 makes a zero of a negative one.
  if (typeof value === "number") return Number(value.toFixed(6)) + 0
  const spelt = spelling[name] ?? ((text) => text)
  return typeof value === "string" ? spelt(value) : [...new Set(value.map(spelt))]
}

/** Filters that every one of the types takes, with all that each needs, in one spelling and one order. */
export const checkFilters = (
  types: ReadonlyArray<WebhookEventType>,
  given: GivenFilters,
): Result.Result<Filters, FiltersRefused> => {
  const stranger = Object.keys(given).find((name) => !filterNames.some((known) => known === name))
  if (stranger !== undefined) return Result.fail(unknownFilter(types, stranger))
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
