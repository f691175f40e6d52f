import { tokenOfHex } from "#src/domain/TokenId.ts"
import { type EventRenderer, fromNullable } from "#src/feed/EventRenderer.ts"
import { type Facets, noFacets } from "#src/feed/filters/Facets.ts"
import type { MarketRow } from "#src/feed/rows.ts"
import type { MarketCreatedData, MarketResolvedData } from "../../payloadSchemas.ts"
import type { Occurrence } from "../model.ts"
import { type Data, occurrence, stateless } from "../stateless.ts"

/** A list as Postgres writes it: `{politics,"us, and others"}`. */
export const listText = (items: ReadonlyArray<string | number>): string =>
  `{${items
    .map(String)
    .map((item) =>
      item === "" || /[{}",\\\s]/.test(item) || item.toLowerCase() === "null"
        ? `"${item.replaceAll(/["\\]/g, "\\$&")}"`
        : item,
    )
    .join(",")}}`

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b))

/** Payouts in lowest terms: 1 and 0 of 1, or 1 and 1 of 2. */
export const fractionsOf = (payouts: ReadonlyArray<number>) => {
  const divisor = payouts.reduce(divisorOf, 0) || 1
  const numerators = payouts.map((payout) => payout / divisor)
  return { numerators, denominator: numerators.reduce((sum, each) => sum + each, 0) || 1 }
}

const millisOf = (at: Date | null): string | null => (at === null ? null : String(at.getTime()))

const listed = (row: MarketRow) => ({
  condition_id: row.condition === null ? null : `0x${row.condition}`,
  question: row.question,
  market: row.question,
  slug: row.slug,
  event_slug: row.event_slug,
  market_id: String(row.id),
  outcomes: row.outcomes,
  token_ids: row.tokens.map(tokenOfHex),
})

export const createdData = (row: MarketRow): MarketCreatedData => ({
  ...listed(row),
  outcome: null,
  tags: row.tags ?? [],
  image_url: row.image,
  created_at: millisOf(row.created_at),
})

export const resolvedData = (row: MarketRow): MarketResolvedData => {
  const payouts = row.payouts ?? []
  const paid = payouts.flatMap((payout, outcome) => (payout > 0 ? [row.outcomes[outcome] ?? null] : []))
  const { numerators, denominator } = fractionsOf(payouts)
  return {
    ...listed(row),
    outcome: paid.length === 1 ? (paid[0] ?? null) : null,
    payout_numerators: listText(numerators),
    payout_denominator: String(denominator),
    resolved_at: millisOf(row.resolved_at),
    tags: listText(row.tags ?? []),
  }
}

const facetsOf = ({ condition, tokens, event_slug, tags }: MarketRow): Facets => ({
  ...noFacets,
  tokens: tokens.map(tokenOfHex),
  conditions: fromNullable(condition).map((hash) => `0x${hash}`),
  eventSlugs: fromNullable(event_slug),
  tags: (tags ?? []).map((tag) => tag.toLowerCase()),
})

/** Catalogue events belong to no block and need no confirmations; one per market. */
const marketRenderer = (data: (row: MarketRow) => Data): EventRenderer<Occurrence> => ({
  needs: ({ ref }, needs) => needs.markets.add(Number(ref)),
  find: ({ ref }, rows) => {
    const row = rows.market(Number(ref))
    return row && { render: () => [occurrence(`market ${row.id}`, facetsOf(row), () => data(row))] }
  },
})

export const marketPollers = [
  stateless("market_created", { market_created: marketRenderer(createdData) }),
  stateless("market_resolved", { market_resolved: marketRenderer(resolvedData) }),
]
