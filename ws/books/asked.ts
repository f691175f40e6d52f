import { Effect } from "effect"
import type { ListedMarket, MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { type Filters, mostItems, type Subscribe } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { warning } from "../warning.ts"
import type { BookNames } from "./frames.ts"

/** The books that a message is about, sorted by how they are named. */
export interface Asked {
  readonly tokens: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  readonly slugs: ReadonlySet<string>
  readonly isAll: boolean
}

export interface Found {
  readonly books: ReadonlyMap<string, BookNames>
  readonly resolvedFrom: { readonly token_ids: number; readonly slugs: number; readonly condition_ids: number }
  readonly warnings: ReadonlyArray<string>
}

const unresolved = (code: string, items: ReadonlyArray<string>) => warning(code, "nothing comes for", items)

const isCondition = (name: string) => /^0x([0-9a-f]{62}|[0-9a-f]{64})$/i.test(name)

/** However many zeros a token is written with, it is the same. */
export const plainToken = (token: string): string => BigInt(token).toString()

export const sorted = (names: Iterable<string>): Asked => {
  const [tokens, conditions, slugs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let isAll = false
  for (const name of names) {
    if (name === "*") isAll = true
    else if (/^\d+$/.test(name)) tokens.add(plainToken(name))
    else if (isCondition(name)) conditions.add(name.toLowerCase())
    else slugs.add(name.toLowerCase())
  }
  return { tokens, conditions, slugs, isAll }
}

const naming = ["tokens", "slugs", "condition_ids"] as const

/** What a subscription names, in whichever of the places where it may be named. */
export const askedIn = ({ token_ids, markets, filters = {} }: Pick<Subscribe, "token_ids" | "markets" | "filters">) =>
  Effect.gen(function* () {
    const other = Object.keys(filters).find((name) => !naming.some((known) => known === name))
    if (other !== undefined) {
      const message = `the filter ${other} is not for order books: name token_ids, or markets`
      return yield* new Refusal({ code: "invalid_message", message })
    }
    const names = [token_ids, markets, ...naming.map((name) => filters[name])].flatMap((list) => list ?? [])
    if (names.length === 0) {
      const message = "name the order books: token_ids, or markets (token ids, condition ids, slugs, or * for all)"
      return yield* new Refusal({ code: "invalid_message", message })
    }
    if (names.length > mostItems) {
      const message = `${names.length} order books in one message: at most ${mostItems}, and as many messages as you like`
      return yield* new Refusal({ code: "input_too_large", message })
    }
    return sorted(names)
  })

export const askedInFilters = (filters: Filters) => askedIn({ filters })

export const unlisted = (token: string): BookNames => ({
  token,
  condition: null,
  slug: null,
  eventSlug: null,
  question: null,
  eventTitle: null,
  outcome: null,
})

export const namesIn = (market: ListedMarket, token: string): BookNames => {
  const { condition, slug, eventSlug, question, eventTitle, outcomes, tokens } = market
  return { token, condition, slug, eventSlug, question, eventTitle, outcome: outcomes[tokens.indexOf(token)] ?? null }
}

/** Looks up what was asked for; what is known by heart is not looked up again. */
export const find = Effect.fnUntraced(
  function* (lookup: MarketLookup["Service"], asked: Asked, known: (token: string) => BookNames | undefined) {
    const books = new Map<string, BookNames>()
    const add = (market: ListedMarket) => {
      for (const token of market.tokens) books.set(token, namesIn(market, token))
    }
    const unknown: Array<string> = []
    for (const token of asked.tokens) {
      const names = known(token)
      if (names === undefined) unknown.push(token)
      else books.set(token, names)
    }
    const [byToken, byCondition, bySlug] = yield* Effect.all(
      [lookup.byTokens(unknown), lookup.byConditions(asked.conditions), lookup.bySlugs(asked.slugs)],
      { concurrency: "unbounded" },
    )
    for (const [token, market] of byToken) books.set(token, namesIn(market, token))
    for (const market of byCondition.values()) add(market)
    for (const markets of bySlug.values()) for (const market of markets) add(market)
    const missing = (names: Iterable<string>, found: ReadonlyMap<string, unknown>) =>
      [...names].filter((name) => !found.has(name))
    return {
      books,
      resolvedFrom: {
        token_ids: asked.tokens.size - unknown.length + byToken.size,
        slugs: bySlug.size,
        condition_ids: byCondition.size,
      },
      warnings: [
        ...unresolved("unresolved_token_ids", missing(unknown, byToken)),
        ...unresolved("unresolved_slugs", missing(asked.slugs, bySlug)),
        ...unresolved("unresolved_condition_ids", missing(asked.conditions, byCondition)),
      ],
    } satisfies Found
  },
  Effect.catchTag("SqlError", () =>
    Effect.fail(
      new Refusal({ code: "unavailable", message: "names cannot be looked up now: try again", retryAfterMillis: 2000 }),
    ),
  ),
)
