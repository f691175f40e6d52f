import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Filters, WebhookEventType } from "#src/webhooks/model.ts"
import type { ConversionFact, Fact, Facts, FeeFact, FillFact, PairFact, RedemptionFact } from "./facts.ts"
import { type Data, dollars, placed, priceMicros, seconds, type VenueNames } from "./names.ts"

/** A state of the chain as pollers saw it; events after `from` are delivered. */
export interface Epoch {
  readonly facts: Facts
  readonly from: number
  /** Time of its last confirmed block. */
  readonly until: number
}

/** An expected delivery, identified independently of its block. */
export interface ExpectedDelivery {
  readonly name: string
  readonly data: Data
}

export type Truth = (epochs: ReadonlyArray<Epoch>, filters: Filters) => ReadonlyArray<ExpectedDelivery>

const noBuilder = `0x${"0".repeat(64)}`
export const nameOf = ({ kind, tx, ordinal }: Fact) => `${kind} ${tx} ${ordinal}`

/** The first occurrence counts. */
export const once = (reported: ReadonlyArray<ExpectedDelivery>): ReadonlyArray<ExpectedDelivery> => {
  const byName = new Map<string, ExpectedDelivery>()
  for (const one of reported) if (!byName.has(one.name)) byName.set(one.name, one)
  return [...byName.values()]
}

const among = (wanted: ReadonlyArray<string> | undefined, ...given: ReadonlyArray<string | null>) =>
  wanted === undefined || wanted.length === 0 || given.some((each) => each !== null && wanted.includes(each))
const atLeast = (least: number | undefined, micros: bigint) => least === undefined || Number(micros) >= least * 1e6

/** Whether market filters match. */
export const isMarketWanted = (names: VenueNames, filters: Filters, token: string) => {
  const market = names.marketOfToken(token)
  return (
    among(filters.token_ids, token) &&
    among(filters.condition_ids, market?.conditionId ?? null) &&
    among(filters.event_slugs, names.eventSlugOf(market)) &&
    among(filters.tags, ...names.tagsOf(market).map((tag) => tag.toLowerCase()))
  )
}

export const statelessTruths = (simulation: Simulation, names: VenueNames) => {
  const exchangeOf = (tx: string) => {
    const act = simulation.chain.txByHash(tx)
    return act === undefined ? "" : simulation.logs.exchangeOf(act).address
  }
  const feeOf = (fill: FillFact) =>
    fill.fee_in_shares ? (2n * fill.fee * fill.usd + fill.shares) / (2n * fill.shares) : fill.fee
  const tradeData = (fill: FillFact): Data => {
    return {
      id: `${fill.tx}_${fill.log_index}`,
      maker: fill.maker,
      taker: fill.taker ?? exchangeOf(fill.tx),
      token_id: fill.token,
      direction: fill.side === 0 ? "BUY" : "SELL",
      price: dollars(priceMicros(fill.usd, fill.shares)),
      amount_usd: dollars(fill.usd),
      shares: dollars(fill.shares),
      fee_usd: dollars(feeOf(fill)),
      ...names.aboutToken(fill.token),
      ...placed(fill),
      order_hash: fill.order_hash,
      builder: fill.builder ?? noBuilder,
      timestamp: seconds(fill),
    }
  }
  /** Every transaction of the venue is one match. Without a wallet filter a trade has the fees of both sides. */
  const tradeSeenBy = (fill: FillFact, { wallet_addresses }: Filters, { fills }: Facts): Data => {
    if (wallet_addresses !== undefined) return tradeData(fill)
    const match = fills.filter(({ tx, block }) => tx === fill.tx && block === fill.block)
    const taken = match.find(({ taker }) => taker === null)
    const makers = match.filter(({ taker }) => taker !== null).toSorted((a, b) => a.log_index - b.log_index)
    const upTo = (count: number) => makers.slice(0, count).reduce((sum, { shares }) => sum + shares, 0n)
    const place = makers.indexOf(fill)
    const bearing = (count: number) => ((taken ? feeOf(taken) : 0n) * upTo(count)) / upTo(makers.length)
    return {
      ...tradeData(fill),
      fee_usd: dollars(feeOf(fill) + bearing(place + 1) - bearing(place)),
      builder: fill.builder ?? taken?.builder ?? noBuilder,
    }
  }
  const pairData = (pair: PairFact): Data => ({
    wallet: pair.wallet,
    ...names.aboutCondition(pair.condition),
    amount: dollars(pair.amount),
    ...placed(pair),
    timestamp: seconds(pair),
  })
  const redemptionData = (redemption: RedemptionFact): Data => {
    const redeemed = redemption.tokens.map((id, place) => ({
      token_id: id,
      outcome: names.outcomeOf(id),
      shares: dollars(redemption.shares[place] ?? 0n),
    }))
    const held = redeemed.filter(({ shares }) => shares > 0)
    const market = names.marketOfCondition(redemption.condition)
    const winners = (market?.payouts ?? []).flatMap((payout, place) => (payout > 0 ? [place] : []))
    const right = winners.length === 1 && market?.legs === undefined ? market?.plan.outcomes[winners[0] ?? 0] : null
    return {
      wallet: redemption.wallet,
      ...names.aboutCondition(redemption.condition),
      outcome: held.length === 1 ? (held[0]?.outcome ?? null) : (right ?? null),
      payout_usd: dollars(redemption.payout),
      redeemed,
      ...placed(redemption),
      timestamp: seconds(redemption),
    }
  }
  const conversionData = (conversion: ConversionFact): Data => ({
    wallet: conversion.wallet,
    market_id: conversion.market,
    market: null,
    slug: null,
    outcome: null,
    condition_id: null,
    event_slug: names.eventSlugOf(names.marketOfToken(conversion.nos[0] ?? "")),
    amount: dollars(conversion.amount),
    converted: conversion.nos.map((id) => ({ token_id: id, ...names.namesOfToken(id) })),
    ...placed(conversion),
    timestamp: seconds(conversion),
  })
  const feeData = (fee: FeeFact): Data => ({
    receiver: fee.receiver,
    fee_usd: dollars(fee.usd),
    token_id: fee.token,
    ...names.aboutToken(fee.token),
    order_hash: fee.order_hash,
    ...placed(fee),
    timestamp: seconds(fee),
  })

  const truth =
    <K extends keyof Facts>(
      kind: K,
      isWanted: (fact: Facts[K][number], filters: Filters) => boolean,
      data: (fact: Facts[K][number], filters: Filters, facts: Facts) => Data,
    ): Truth =>
    (epochs, filters) =>
      once(
        epochs.flatMap(({ facts, from }) =>
          (facts[kind] as ReadonlyArray<Facts[K][number]>)
            .filter((fact) => fact.block > from && isWanted(fact, filters))
            .map((fact) => ({ name: nameOf(fact), data: data(fact, filters, facts) })),
        ),
      )

  const isAmountWanted = (fill: FillFact, filters: Filters) =>
    isMarketWanted(names, filters, fill.token) &&
    atLeast(filters.min_amount_usd, fill.usd) &&
    (filters.side === undefined || filters.side === (fill.side === 0 ? "BUY" : "SELL"))
  const isTradeWanted = (fill: FillFact, filters: Filters) =>
    isAmountWanted(fill, filters) &&
    (filters.wallet_addresses === undefined ? fill.taker !== null : filters.wallet_addresses.includes(fill.maker))
  const isWalletWanted = (
    fact: { readonly wallet: string; readonly condition?: string },
    { wallet_addresses, condition_ids }: Filters,
  ) => among(wallet_addresses, fact.wallet) && among(condition_ids, fact.condition ?? null)

  const trade = truth("fills", isTradeWanted, tradeSeenBy)
  const activity = <F extends Fact>(kind: string, data: (fact: F) => Data) => {
    return (fact: F): Data => ({ activity_type: kind, ...data(fact) })
  }
  const activities: ReadonlyArray<Truth> = [
    truth("fills", isTradeWanted, activity("trade", tradeData)),
    truth("splits", isWalletWanted, activity("split", pairData)),
    truth("merges", isWalletWanted, activity("merge", pairData)),
    truth("redemptions", isWalletWanted, activity("redemption", redemptionData)),
    truth("conversions", isWalletWanted, activity("neg_risk_conversion", conversionData)),
  ]
  const truths = {
    trade,
    large_trade: trade,
    builder_trade: truth(
      "fills",
      (fill, filters) => among(filters.builder_codes, fill.builder ?? noBuilder) && isAmountWanted(fill, filters),
      tradeData,
    ),
    redemption: truth("redemptions", isWalletWanted, redemptionData),
    split: truth("splits", isWalletWanted, pairData),
    merge: truth("merges", isWalletWanted, pairData),
    neg_risk_conversion: truth("conversions", isWalletWanted, conversionData),
    fee_earned: truth(
      "fees",
      (fee, filters) => among(filters.receiver_addresses, fee.receiver) && atLeast(filters.min_fee_usd, fee.usd),
      feeData,
    ),
    wallet_activity: (epochs, filters) => activities.flatMap((each) => each(epochs, filters)),
  } satisfies Partial<Record<WebhookEventType, Truth>>
  return { truths, tradeData }
}
