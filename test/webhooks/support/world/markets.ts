import { pictureOf } from "#src/simulator/pictures.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import type { Filters } from "#src/webhooks/model.ts"
import type { venueCatalogue } from "#test/catalogue/support/venueCatalogue.ts"
import type { Data, VenueNames } from "./names.ts"

type Catalogue = ReturnType<ReturnType<typeof venueCatalogue>["catalogue"]>

const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b))

/** Market changes between two reads of the venue's catalogue. */
export const marketTruths = (simulation: Simulation, names: VenueNames, before: Catalogue, after: Catalogue) => {
  const { venue } = simulation.model.world
  const markets = new Map(venue.markets.map((market) => [Number(market.id), market]))
  const known = new Map(before.markets.map((row) => [row.id, row]))
  const isWanted = (market: Market, { condition_ids = [], event_slugs = [], tags = [] }: Filters) =>
    (condition_ids.length === 0 || condition_ids.includes(market.conditionId)) &&
    (event_slugs.length === 0 || event_slugs.includes(market.event.plan.slug)) &&
    (tags.length === 0 || names.tagsOf(market).some((tag) => tags.includes(tag.toLowerCase())))
  const listed = (market: Market): Data => ({
    condition_id: market.conditionId,
    question: market.plan.question,
    market: market.plan.question,
    slug: market.plan.slug,
    event_slug: market.event.plan.slug,
    market_id: market.id,
    outcomes: market.plan.outcomes,
    token_ids: market.tokens.map((index) => venue.tokens[index]?.id),
  })
  const resolvedData = (market: Market, at: string | null): Data => {
    const payouts = market.payouts ?? [0, 0]
    const divisor = payouts.reduce(common, 0)
    const parts = payouts.map((payout) => payout / divisor)
    const winners = market.plan.outcomes.filter((_, place) => (payouts[place] ?? 0) > 0)
    return {
      ...listed(market),
      outcome: winners.length === 1 ? winners[0] : null,
      payout_numerators: `{${parts.join(",")}}`,
      payout_denominator: String(parts.reduce((sum, part) => sum + part, 0)),
      resolved_at: String(Date.parse(at ?? "")),
      tags: `{${names.tagsOf(market).join(",")}}`,
    }
  }
  const createdData = (market: Market): Data => ({
    ...listed(market),
    outcome: null,
    tags: names.tagsOf(market),
    image_url: pictureOf(simulation, market.event.plan.category),
    created_at: String(market.createdAt),
  })
  const wanted = (
    filters: Filters,
    isNews: (row: Catalogue["markets"][number]) => boolean,
    data: (market: Market, closedAt: string | null) => Data,
  ) =>
    after.markets.filter(isNews).flatMap((row) => {
      const market = markets.get(row.id)
      return market !== undefined && isWanted(market, filters) ? [data(market, row.closed_at)] : []
    })
  return {
    created: (filters: Filters) => wanted(filters, ({ id }) => !known.has(id), createdData),
    resolved: (filters: Filters) =>
      wanted(filters, ({ id, closed }) => closed === true && known.get(id)?.closed !== true, resolvedData),
  }
}
