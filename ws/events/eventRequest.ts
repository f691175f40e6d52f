import { Effect } from "effect"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { usdcOf } from "#src/domain/amounts.ts"
import { paddedCondition } from "#src/domain/ConditionId.ts"
import type { Filter } from "#src/feed/filters/Filter.ts"
import type { EventType } from "#src/feed/model.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { dollarBounds } from "#src/streams/protocol/dollarBounds.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { type EventStream, eventStreams, optionalEvents } from "#src/streams/protocol/streamTypes.ts"
import { itemsTurn } from "../channel/turns.ts"
import { unresolved, warning } from "../channel/warnings.ts"
import type { EventSubscription } from "./CatchUp.ts"
import { unknownTokens, unmatchable } from "./filterWarnings.ts"
import { keyedFilter } from "./keyedFilter.ts"
import type { KeyedFilter } from "./SubscriberIndex.ts"

/** The parsed filters of a subscription. */
interface EventRequest {
  readonly filter: KeyedFilter
  /** The bounds that apply, for the acknowledgement. */
  readonly bounds: { readonly min_usd?: number; readonly max_usd?: number }
  /** Parts of the request that match nothing; the rest applies. */
  readonly warnings: ReadonlyArray<string>
}

const refused = (message: string) => new Refusal({ code: "invalid_message", message })

/** Makes sets of lists, long ones in turns of their own. */
const setsWith =
  (change: (text: string) => string) =>
  (texts: ReadonlyArray<string> | undefined): Effect.Effect<ReadonlySet<string> | undefined> =>
    texts === undefined
      ? Effect.succeed(undefined)
      : Effect.map(itemsTurn(texts.length), () => new Set(texts.map(change)))

const lowered = setsWith((text) => text.toLowerCase())
const conditionsIn = setsWith(paddedCondition)
const verbatim = setsWith((text) => text)

const typesOf = (stream: EventStream, { event_types, confirmations }: Filters): ReadonlySet<EventType> => {
  const defaults: ReadonlyArray<EventType> = eventStreams[stream]
  const types = event_types ?? defaults
  // What is final is not retracted.
  return new Set(confirmations === "finalized" ? types : [...types, "reorg"])
}

const priceFeedFilters = ["feeds", "price_source", "twap_windows", "source"] as const
const comboFilters = [
  "combo_condition_ids",
  "leg_position_ids",
  "event_ids",
  "module_ids",
  "action",
  "direction",
] as const

/** They come only before a block. */
const pendingTypes = ["settlement", "combo_execution"] as const satisfies ReadonlyArray<EventType>

const sportsFilters = ["leagues", "games"] as const

/** Error text for filters that do not apply to the stream; silently ignoring them would mislead the client. */
const filterError = (stream: EventStream, filters: Filters): string | undefined => {
  const known: ReadonlyArray<EventType> = [...eventStreams[stream], ...(optionalEvents[stream] ?? [])]
  const foreign = filters.event_types?.find((type) => !known.includes(type))
  if (foreign !== undefined) return `${stream} has no ${foreign} events; it has ${known.join(", ")}`
  const feedOnly = priceFeedFilters.find((name) => filters[name] !== undefined)
  if (feedOnly !== undefined) return `the filter ${feedOnly} is for the type oracle, not for ${stream}`
  const comboOnly = stream === "combos" ? undefined : comboFilters.find((name) => filters[name] !== undefined)
  if (comboOnly !== undefined) return `the filter ${comboOnly} is for the type combos, not for ${stream}`
  const sportsOnly = stream === "sports" ? undefined : sportsFilters.find((name) => filters[name] !== undefined)
  if (sportsOnly !== undefined) return `the filter ${sportsOnly} is for the type sports, not for ${stream}`
  if (filters.confirmations !== undefined && filters.status === "pending")
    return "pending events have no confirmations: use one of status and confirmations"
  const twice = (["min", "max"] as const).find(
    (bound) => filters[`${bound}_usd`] !== undefined && filters[`${bound}_size`] !== undefined,
  )
  if (twice !== undefined) return `${twice}_usd and ${twice}_size are the same filter: use one of them`
  const { min, max = Number.POSITIVE_INFINITY } = dollarBounds(stream, filters)
  return (min ?? 0) > max ? `the minimum of ${min} dollars is above the maximum, so nothing could match` : undefined
}

const usdcIn = (dollars: number | undefined) => (dollars === undefined ? undefined : usdcOf(dollars))

const statusOf = (stream: EventStream, { status, confirmations }: Filters): Filter["status"] => {
  if (confirmations !== undefined) return "confirmed"
  // A pending fill would be sent a second time once it is in a block.
  if (status === undefined) return stream === "fills" ? "confirmed" : undefined
  return status === "all" ? undefined : status
}

const comboOf = Effect.fnUntraced(function* (filters: Filters) {
  if (comboFilters.every((name) => filters[name] === undefined)) return undefined
  const combo: Filter["combo"] = {
    conditions: yield* conditionsIn(filters.combo_condition_ids),
    legs: yield* verbatim(filters.leg_position_ids),
    events: yield* lowered(filters.event_ids),
    modules: filters.module_ids && new Set(filters.module_ids),
    action: filters.action,
    direction: filters.direction,
  }
  return combo
})

/** Those who wait for different confirmations share no topic. */
const apart = ({ key, filter }: KeyedFilter, confirmations: Filters["confirmations"]): KeyedFilter =>
  confirmations === undefined || confirmations === 0 ? { key, filter } : { key: `${confirmations} ${key}`, filter }

/** Parses the filters of a message. Slugs resolve to the markets they name now. */
export const readEventRequest = Effect.fnUntraced(
  function* (lookup: MarketLookup["Service"], stream: EventStream, filters: Filters) {
    const error = filterError(stream, filters)
    if (error !== undefined) return yield* refused(error)
    const slugs = [...((yield* lowered(filters.slugs)) ?? [])]
    const conditions = yield* conditionsIn(filters.condition_ids)
    const bySlug = slugs.length === 0 ? new Map() : yield* lookup.bySlugs(slugs)
    const listed = conditions === undefined ? new Set() : yield* lookup.listedConditions(conditions)
    const ofSlugs = new Set([...bySlug.values()].flat().map(({ condition }) => condition))
    const { min, max } = dollarBounds(stream, filters)
    const types = typesOf(stream, filters)
    const filter = yield* keyedFilter({
      types,
      wallets: yield* lowered(filters.wallets),
      tokens: yield* verbatim(filters.tokens),
      conditions: [
        ...(conditions === undefined ? [] : [conditions]),
        ...(filters.slugs === undefined ? [] : [ofSlugs]),
      ],
      side: filters.side === undefined ? undefined : filters.side.toUpperCase() === "BUY" ? "BUY" : "SELL",
      status: statusOf(stream, filters),
      minSize: usdcIn(min),
      maxSize: usdcIn(max),
      leagues: yield* lowered(filters.leagues),
      games: yield* lowered(filters.games),
      combo: yield* comboOf(filters),
    })
    const request: EventRequest = {
      filter: apart(filter, filters.confirmations),
      bounds: { ...(min === undefined ? {} : { min_usd: min }), ...(max === undefined ? {} : { max_usd: max }) },
      warnings: [
        ...unresolved(
          "unresolved_slugs",
          slugs.filter((slug) => !bySlug.has(slug)),
        ),
        ...unresolved(
          "unresolved_condition_ids",
          [...(conditions ?? [])].filter((id) => !listed.has(id)),
        ),
        // Tokens of combos belong to no market of the catalogue.
        ...(stream === "combos" ? [] : yield* unknownTokens(lookup, filters.tokens)),
        ...unmatchable(types, filters),
        ...(filters.confirmations === undefined
          ? []
          : warning(
              "cannot_match",
              "because of confirmations, nothing comes of type",
              pendingTypes.filter((type) => types.has(type)),
            )),
      ],
    }
    return request
  },
  Effect.catchTag("SqlError", () =>
    Effect.fail(
      new Refusal({
        code: "unavailable",
        message: "names cannot be resolved at the moment: try again",
        retryAfterMillis: 2000,
      }),
    ),
  ),
)

/** Sources of event types that do not come from the chain, by their names in the status. */
const sourceOfType: Readonly<Partial<Record<EventType, string>>> = {
  settlement: "mempool",
  combo_execution: "mempool",
  price_change: "books",
  score: "sports",
  market_created: "catalogue",
  market_resolved: "catalogue",
}

const sourcesOfFilter = ({ types, status }: Filter): ReadonlyArray<string> => {
  const sources = [...types].filter((type) => type !== "reorg").map((type) => sourceOfType[type] ?? "chain")
  return types.has("fill") && status !== "confirmed" ? [...sources, "mempool"] : sources
}

/** Sources that subscriptions depend on: the event log and the writers of their events. */
export const sourcesOf = (subscriptions: ReadonlyArray<EventSubscription>): ReadonlyArray<string> =>
  subscriptions.length === 0
    ? []
    : [...new Set([...subscriptions.flatMap(({ filter }) => sourcesOfFilter(filter.filter)), "event_log"])]
