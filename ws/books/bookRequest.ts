import { Effect } from "effect"
import type { ListedMarket, MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { isCondition, paddedCondition } from "#src/domain/ConditionId.ts"
import { maxItems, type Subscribe } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { unresolved } from "../channel/warnings.ts"
import type { BookNames } from "./frames.ts"

/** The order books that a message names, grouped by the kind of name. */
export interface BookRequest {
  readonly tokens: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  readonly slugs: ReadonlySet<string>
  readonly isAll: boolean
}

interface ResolvedBooks {
  readonly books: ReadonlyMap<string, BookNames>
  readonly resolvedFrom: { readonly token_ids: number; readonly slugs: number; readonly condition_ids: number }
  readonly warnings: ReadonlyArray<string>
}

/** Removes leading zeros. */
export const canonicalToken = (token: string): string =>
  token.startsWith("0") ? token.replace(/^0+(?=\d)/, "") : token

export const groupNames = (names: Iterable<string>): BookRequest => {
  const [tokens, conditions, slugs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let isAll = false
  for (const name of names) {
    if (name === "*") isAll = true
    else if (/^\d+$/.test(name)) tokens.add(canonicalToken(name))
    else if (isCondition(name)) conditions.add(paddedCondition(name))
    else slugs.add(name.toLowerCase())
  }
  return { tokens, conditions, slugs, isAll }
}

const nameFilters = ["tokens", "slugs", "condition_ids"] as const

/** Collects the names from all fields of a message that may contain them. */
export const readBookRequest = ({
  token_ids,
  markets,
  filters = {},
}: Pick<Subscribe, "token_ids" | "markets" | "filters">) =>
  Effect.gen(function* () {
    const other = Object.keys(filters).find((name) => !nameFilters.some((known) => known === name))
    if (other !== undefined) {
      const message = `the filter ${other} does not apply to order books: use token_ids or markets`
      return yield* new Refusal({ code: "invalid_message", message })
    }
    const names = [token_ids, markets, ...nameFilters.map((name) => filters[name])].flatMap((list) => list ?? [])
    if (names.length === 0) {
      const message = "no order books named: use token_ids, or markets (token ids, condition ids, slugs, or * for all)"
      return yield* new Refusal({ code: "invalid_message", message })
    }
    if (names.length > maxItems) {
      const message = `${names.length} order books in one message: at most ${maxItems}; send several messages for more`
      return yield* new Refusal({ code: "input_too_large", message })
    }
    return groupNames(names)
  })

export const unlistedNames = (token: string): BookNames => ({
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

/** Resolves the names of a request; tokens with known names need no lookup. */
export const resolveBooks = Effect.fnUntraced(
  function* (lookup: MarketLookup["Service"], request: BookRequest, known: (token: string) => BookNames | undefined) {
    const books = new Map<string, BookNames>()
    const add = (market: ListedMarket) => {
      for (const token of market.tokens) books.set(token, namesIn(market, token))
    }
    const unknown: Array<string> = []
    for (const token of request.tokens) {
      const names = known(token)
      if (names === undefined) unknown.push(token)
      else books.set(token, names)
    }
    const [byToken, byCondition, bySlug] = yield* Effect.all(
      [lookup.byTokens(unknown), lookup.byConditions(request.conditions), lookup.bySlugs(request.slugs)],
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
        token_ids: request.tokens.size - unknown.length + byToken.size,
        slugs: bySlug.size,
        condition_ids: byCondition.size,
      },
      warnings: [
        ...unresolved("unresolved_token_ids", missing(unknown, byToken)),
        ...unresolved("unresolved_slugs", missing(request.slugs, bySlug)),
        ...unresolved("unresolved_condition_ids", missing(request.conditions, byCondition)),
      ],
    } satisfies ResolvedBooks
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
