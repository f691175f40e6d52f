import type { WebhookEventType } from "#src/webhooks/model.ts"
import type { FillFact, GainFact } from "./facts.ts"
import { type Data, dollars, placed, priceMicros, seconds, type VenueNames } from "./names.ts"
import { type ExpectedDelivery, isMarketWanted, nameOf, once, type Truth } from "./stateless.ts"

const quiet = 30_000

/** Changes against the last delivered value; events that were delivered before are skipped. */
class Moves {
  readonly reported: Array<ExpectedDelivery> = []
  readonly #names = new Set<string>()

  isReported(name: string) {
    return this.#names.has(name)
  }

  report(name: string, data: Data) {
    this.#names.add(name)
    this.reported.push({ name, data })
  }
}

export const statefulTruths = (names: VenueNames, tradeData: (fill: FillFact) => Data) => {
  const firstTrade: Truth = (epochs, { min_amount_usd: least = 0 }) =>
    once(
      epochs.flatMap(({ facts: { fills }, from }) => {
        const firsts = [...Map.groupBy(fills, ({ maker }) => maker).values()].flatMap(([first]) => first ?? [])
        return firsts
          .filter(({ block, usd }) => block > from && Number(usd) >= least * 1e6)
          .map((fill) => ({ name: nameOf(fill), data: tradeData(fill) }))
      }),
    )

  const priceChange: Truth = (epochs, filters) => {
    const moves = new Moves()
    const last = new Map<string, bigint>()
    const { min_delta_pct: percent } = filters
    const seen = epochs.flatMap(({ facts, from }) => facts.fills.filter(({ block }) => block > from))
    for (const fill of seen) {
      if (fill.taker === null || !isMarketWanted(names, filters, fill.token) || moves.isReported(nameOf(fill))) continue
      const price = priceMicros(fill.usd, fill.shares)
      const before = last.get(fill.token)
      const isMove =
        before === undefined
          ? percent === undefined
          : price !== before && Math.abs(Number(price - before)) * 100 >= (percent ?? 0) * Number(before)
      if (before === undefined || isMove) last.set(fill.token, price)
      if (!isMove) continue
      moves.report(nameOf(fill), {
        token_id: fill.token,
        price: dollars(price),
        previous_price: before === undefined ? null : dollars(before),
        updated_at: String(fill.at.getTime()),
        ...names.aboutToken(fill.token),
        ...placed(fill),
      })
    }
    return moves.reported
  }

  const pnlChange: Truth = (epochs, { wallet_addresses = [], min_pnl_change_usd: least = 0 }) => {
    const moves = new Moves()
    const last = new Map<string, bigint>()
    const see = (gain: GainFact, total: bigint) => {
      const key = `${gain.wallet} ${gain.token}`
      const name = `${nameOf(gain)} ${key}`
      if (moves.isReported(name)) return
      const before = last.get(key) ?? total - gain.amount
      const change = total - before
      const isMove = change !== 0n && Math.abs(Number(change)) >= least * 1e6
      last.set(key, isMove ? total : before)
      if (!isMove) return
      moves.report(name, {
        wallet: gain.wallet,
        token_id: gain.token,
        realized_pnl: dollars(total),
        change: dollars(change),
        reason: gain.reason,
        ...names.aboutToken(gain.token),
        ...placed(gain),
        timestamp: seconds(gain),
      })
    }
    for (const { facts, from } of epochs) {
      const totals = new Map<string, bigint>()
      for (const gain of facts.gains) {
        const key = `${gain.wallet} ${gain.token}`
        const total = (totals.get(key) ?? 0n) + gain.amount
        totals.set(key, total)
        if (gain.block > from && wallet_addresses.includes(gain.wallet)) see(gain, total)
      }
    }
    return moves.reported
  }

  const orderData = (fills: ReadonlyArray<FillFact>, last: FillFact): Data => {
    const { market, outcome } = names.aboutToken(last.token)
    return {
      order_hash: last.order_hash,
      maker: last.maker,
      direction: last.side === 0 ? "BUY" : "SELL",
      token_id: last.token,
      fill_count: fills.length,
      total_usd: dollars(fills.reduce((sum, { usd }) => sum + usd, 0n)),
      ...names.aboutToken(last.token),
      fills: fills.slice(-100).map((fill) => ({
        amount_usd: dollars(fill.usd),
        price: dollars(priceMicros(fill.usd, fill.shares)),
        market,
        outcome,
        timestamp: seconds(fill),
      })),
      ...placed(last),
      timestamp: seconds(last),
    }
  }

  const orderComplete: Truth = (epochs, { wallet_addresses, min_total_usd: least = 0 }) =>
    once(
      epochs.flatMap(({ facts, until }) =>
        [...Map.groupBy(facts.fills, ({ order_hash }) => order_hash).values()].flatMap((order) =>
          order.flatMap((fill, place): ReadonlyArray<ExpectedDelivery> => {
            const fills = order.slice(0, place + 1)
            const total = fills.reduce((sum, { usd }) => sum + usd, 0n)
            const isQuiet = (order[place + 1]?.at.getTime() ?? until) - fill.at.getTime() >= quiet
            const isWanted = wallet_addresses?.includes(fill.maker) ?? true
            // Orders that were not quiet long enough at the reorganisation may be older than the fork.
            const isNew = fill.block > (epochs[0]?.from ?? 0)
            if (place === 0 || !isQuiet || !isWanted || !isNew || Number(total) < least * 1e6) return []
            return [{ name: `${fill.order_hash} ${nameOf(fill)}`, data: orderData(fills, fill) }]
          }),
        ),
      ),
    )

  return {
    first_trade: firstTrade,
    price_change: priceChange,
    pnl_change: pnlChange,
    order_complete: orderComplete,
  } satisfies Partial<Record<WebhookEventType, Truth>>
}
