import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import type { Filters, WebhookEventType } from "#src/webhooks/model.ts"
import { venueNames } from "./names.ts"

export interface Wish {
  readonly types: ReadonlyArray<WebhookEventType>
  readonly filters: Filters
}

const mostFrequent = <A>(all: Iterable<A>, count: number): ReadonlyArray<A> => {
  const counts = new Map<A, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([one]) => one)
}

/** Filters that match future events, chosen from a second world with the same seed. */
export const wishesFor = (venue: Simulation, seed: number, lengthMillis: number): ReadonlyArray<Wish> => {
  const at = venue.now()
  const first = venue.model.world.facts.length
  const genesis = { seed, genesis: at, scale: "brief", rate: venue.rate } as const
  const twin = new Simulation(Journal.open(undefined, genesis), () => at)
  twin.freeze()
  twin.settle()
  twin.advance(lengthMillis)
  const { model } = twin
  const { facts } = model.world
  const names = venueNames(twin)
  const wallet = (index: number) => model.wallets[index]?.address ?? ""
  const firstFill = facts.firstFill.get(first)
  const fills = Array.from({ length: facts.fills - firstFill }, (_, place) => firstFill + place)
  const acts = Array.from({ length: facts.length - first }, (_, place) => first + place)
  const doing: ReadonlyArray<number> = [TxKind.split, TxKind.merge, TxKind.redeem, TxKind.convert, TxKind.transfer]
  const doers = acts.filter((act) => doing.includes(facts.kind.get(act))).map((act) => wallet(facts.wallet.get(act)))
  const busy = mostFrequent(
    fills.map((fill) => wallet(facts.maker.get(fill))),
    4,
  )
  const wallets = [...new Set([...busy, ...doers])]
  const tokens = mostFrequent(
    fills.map((fill) => model.world.venue.tokens[facts.fillToken.get(fill)]?.id ?? ""),
    6,
  )
  const known = tokens.map((id) => names.marketOfToken(id)).filter((market) => market !== undefined)
  const conditions = known.map(({ conditionId }) => conditionId)
  // Conditions of markets that were listed long before.
  const lasting = fills
    .map((fill) => model.world.venue.tokens[facts.fillToken.get(fill)]?.market)
    .filter((market) => market !== undefined && market.legs === undefined && market.plan.rule.kind === "fate")
  const slugs = mostFrequent(
    lasting.map((market) => names.eventSlugOf(market) ?? ""),
    3,
  )
  const shortLived = new Set(
    model.world.venue.markets
      .filter(({ plan }) => plan.rule.kind === "updown")
      .flatMap((market) => names.tagsOf(market)),
  )
  const tags = mostFrequent(
    lasting.flatMap((market) => names.tagsOf(market)).filter((tag) => !shortLived.has(tag)),
    2,
  )
  const builders = mostFrequent(
    fills.flatMap((fill) => model.builders[facts.builder.get(fill) - 1]?.code ?? []),
    1,
  )
  const amounts = fills.map((fill) => facts.usd.get(fill)).toSorted((a, b) => b - a)
  // An amount that occurs exactly.
  const large = (amounts[Math.floor(amounts.length / 10)] ?? 0) / 1e6
  const usual = (amounts[Math.floor(amounts.length / 2)] ?? 0) / 1e6
  const of = { wallet_addresses: wallets }
  const one = (type: WebhookEventType, ...some: ReadonlyArray<Filters>): ReadonlyArray<Wish> =>
    some.map((filters) => ({ types: [type], filters }))
  return [
    ...one(
      "trade",
      {},
      { wallet_addresses: busy, side: "BUY" },
      { condition_ids: conditions, min_amount_usd: usual },
      { token_ids: tokens.slice(0, 2) },
      { event_slugs: slugs },
      { tags: tags.map((tag) => tag.toUpperCase()) },
    ),
    ...one("large_trade", { min_amount_usd: large }, { min_amount_usd: usual, condition_ids: conditions }),
    ...one("builder_trade", { builder_codes: builders }, { builder_codes: builders, min_amount_usd: usual }),
    ...one("first_trade", {}, { min_amount_usd: usual }),
    ...one("price_change", {}, { min_delta_pct: 5 }, { token_ids: tokens, min_delta_pct: 1 }),
    ...one("market_resolved", {}),
    ...one("market_created", {}),
    ...one("pnl_change", of, { ...of, min_pnl_change_usd: 5 }),
    ...one("position_status_change", of, { ...of, status_to: "closed" }, { ...of, token_ids: tokens }),
    ...one("redemption", {}, { wallet_addresses: doers }),
    ...one("split", {}),
    ...one("neg_risk_conversion", {}, { wallet_addresses: busy }),
    ...one("fee_earned", {}, { min_fee_usd: 0.05 }),
    ...one("wallet_activity", of),
    ...one("order_complete", {}, { min_total_usd: usual }),
    { types: ["split", "merge", "redemption"], filters: { wallet_addresses: doers } },
    { types: ["trade", "wallet_activity"], filters: { wallet_addresses: busy } },
  ]
}
