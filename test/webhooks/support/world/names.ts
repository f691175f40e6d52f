import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import type { Fact } from "./facts.ts"

export type Data = Readonly<Record<string, unknown>>

/** Millionths as in JSON. */
export const dollars = (micros: bigint): number => Number(`${micros}e-6`)

/** Rounds half up. */
export const priceMicros = (usd: bigint, shares: bigint): bigint => (2_000_000n * usd + shares) / (2n * shares)

export const seconds = ({ at }: Fact) => String(Math.floor(at.getTime() / 1000))

export const placed = ({ tx, block, log_index }: Fact): Data => ({
  transaction_hash: tx,
  block_number: block,
  log_index,
})

/** Names of the venue's markets. Combos are not listed and are named after their legs. */
export const venueNames = ({ model }: Simulation) => {
  const { venue } = model.world
  const listed = (market: Market | undefined) => (market?.legs === undefined ? market : undefined)
  const tokenOf = (id: string) => venue.tokenWithId(id)
  const marketOfToken = (id: string) => tokenOf(id)?.market
  const marketOfCondition = (id: string) => venue.marketWithCondition(id)
  const eventSlugOf = (market: Market | undefined) => listed(market)?.event.plan.slug ?? null
  const tagsOf = (market: Market | undefined) => listed(market)?.event.plan.tags.map(({ slug }) => slug) ?? []
  const titleOf = (market: Market | undefined) =>
    market?.isCombo
      ? (market.legs
          ?.map(({ market: { plan }, outcome }) => `${plan.question} (${plan.outcomes[outcome]})`)
          .join(" + ") ?? null)
      : (listed(market)?.plan.question ?? null)
  const named = (market: Market | undefined, outcome: string | null): Data => ({
    market: titleOf(market),
    slug: listed(market)?.plan.slug ?? null,
    outcome,
    condition_id: market?.conditionId ?? null,
  })
  const outcomeOf = (id: string) => {
    const token = tokenOf(id)
    if (token?.market.isCombo) return token.outcome === 0 ? "Yes" : "No"
    return token === undefined ? null : (listed(token.market)?.plan.outcomes[token.outcome] ?? null)
  }
  return {
    marketOfToken,
    marketOfCondition,
    eventSlugOf,
    tagsOf,
    outcomeOf,
    tokensOf: (condition: string) =>
      (marketOfCondition(condition)?.tokens ?? []).map((index) => venue.tokens[index]?.id ?? ""),
    /** Market fields of a token. */
    aboutToken: (id: string): Data => ({
      ...named(marketOfToken(id), outcomeOf(id)),
      event_slug: eventSlugOf(marketOfToken(id)),
    }),
    namesOfToken: (id: string): Data => named(marketOfToken(id), outcomeOf(id)),
    aboutCondition: (id: string): Data => ({
      ...named(marketOfCondition(id), null),
      event_slug: eventSlugOf(marketOfCondition(id)),
    }),
  }
}
export type VenueNames = ReturnType<typeof venueNames>
