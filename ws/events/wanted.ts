import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import type { Filter } from "#src/feed/Filter.ts"
import type { EventType } from "#src/feed/model.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { largeTrade } from "#src/streams/protocol/firehose.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { type EventStream, eventStreams, optionalEvents } from "#src/streams/protocol/types.ts"
import { warning } from "../warning.ts"
import type { Wish } from "./Audiences.ts"

export interface Wanted {
  readonly wish: Wish
  /** What was asked for and cannot be; the rest is done. */
  readonly warnings: ReadonlyArray<string>
}

const refused = (message: string) => new Refusal({ code: "invalid_message", message })

const lowered = (texts: ReadonlyArray<string> | undefined): ReadonlySet<string> | undefined =>
  texts && new Set(texts.map((text) => text.toLowerCase()))

const typesOf = (stream: EventStream, asked: ReadonlyArray<EventType> | undefined): ReadonlySet<EventType> => {
  const usual: ReadonlyArray<EventType> = eventStreams[stream]
  return new Set([...(asked ?? usual), "reorg"])
}

const ofPriceFeeds = ["feeds", "price_source", "twap_windows", "source"] as const
const ofCombos = ["combo_condition_ids", "leg_position_ids", "event_ids", "module_ids", "action", "direction"] as const

/** Says what is wrong with a filter for this stream; a filter that did nothing would be a lie. */
const objection = (stream: EventStream, filters: Filters): string | undefined => {
  const known: ReadonlyArray<EventType> = [...eventStreams[stream], ...(optionalEvents[stream] ?? [])]
  const foreign = filters.event_types?.find((type) => !known.includes(type))
  if (foreign !== undefined) return `${stream} has no ${foreign} events; it has ${known.join(", ")}`
  const feedOnly = ofPriceFeeds.find((name) => filters[name] !== undefined)
  if (feedOnly !== undefined) return `the filter ${feedOnly} is for the type oracle, not for ${stream}`
  const comboOnly = stream === "combos" ? undefined : ofCombos.find((name) => filters[name] !== undefined)
  if (comboOnly !== undefined) return `the filter ${comboOnly} is for the type combos, not for ${stream}`
  const { min_size: least = 0, max_size: most = Number.POSITIVE_INFINITY } = filters
  return least > most ? "min_size is above max_size, so nothing could match" : undefined
}

const micros = (dollars: number | undefined) => (dollars === undefined ? undefined : Math.round(dollars * 1_000_000))

const statusOf = (stream: EventStream, { status }: Filters): Filter["status"] => {
  // A fill that waits for its block comes a second time once it is in one.
  if (status === undefined) return stream === "fills" ? "confirmed" : undefined
  return status === "all" ? undefined : status
}

const comboOf = (filters: Filters): Filter["combo"] =>
  ofCombos.some((name) => filters[name] !== undefined)
    ? {
        conditions: lowered(filters.combo_condition_ids),
        legs: filters.leg_position_ids && new Set(filters.leg_position_ids),
        events: lowered(filters.event_ids),
        modules: filters.module_ids && new Set(filters.module_ids),
        action: filters.action,
        direction: filters.direction,
      }
    : undefined

/** In the order of the alphabet, so that the same filters are the same text however they were written. */
const canonical = (_name: string, value: unknown): unknown => (value instanceof Set ? [...value].sort() : value)

const wishOf = (filter: Filter): Wish => ({
  filter,
  key: createHash("sha256").update(JSON.stringify(filter, canonical)).digest("base64url"),
})

const unresolved = (code: string, items: ReadonlyArray<string>) => warning(code, "nothing comes for", items)

/** What the filters of a message ask for. Slugs mean the markets that they name now. */
export const wantedOf = Effect.fnUntraced(
  function* (lookup: MarketLookup["Service"], stream: EventStream, filters: Filters) {
    const wrong = objection(stream, filters)
    if (wrong !== undefined) return yield* refused(wrong)
    const slugs = [...(lowered(filters.slugs) ?? [])]
    const conditions = lowered(filters.condition_ids)
    const bySlug = slugs.length === 0 ? new Map() : yield* lookup.bySlugs(slugs)
    const listed = conditions === undefined ? new Map() : yield* lookup.byConditions(conditions)
    const ofSlugs = new Set([...bySlug.values()].flat().map(({ condition }) => condition))
    const least = filters.min_size ?? (stream === "large_trades" ? largeTrade : undefined)
    const wanted: Wanted = {
      wish: wishOf({
        types: typesOf(stream, filters.event_types),
        wallets: lowered(filters.wallets),
        tokens: filters.tokens && new Set(filters.tokens),
        conditions: [
          ...(conditions === undefined ? [] : [conditions]),
          ...(filters.slugs === undefined ? [] : [ofSlugs]),
        ],
        side: filters.side === undefined ? undefined : filters.side.toUpperCase() === "BUY" ? "BUY" : "SELL",
        status: statusOf(stream, filters),
        minSize: micros(least),
        maxSize: micros(filters.max_size),
        combo: comboOf(filters),
      }),
      warnings: [
        ...unresolved(
          "unresolved_slugs",
          slugs.filter((slug) => !bySlug.has(slug)),
        ),
        ...unresolved(
          "unresolved_condition_ids",
          [...(conditions ?? [])].filter((id) => !listed.has(id)),
        ),
      ],
    }
    return wanted
  },
  Effect.catchTag("SqlError", () =>
    Effect.fail(
      new Refusal({ code: "unavailable", message: "names cannot be looked up now: try again", retryAfterMillis: 2000 }),
    ),
  ),
)
