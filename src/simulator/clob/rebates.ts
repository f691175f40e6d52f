import type { Hex } from "viem"
import { getAddress } from "viem/utils"
import { address } from "../chain/contracts.ts"
import { exchangeAsTaker } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import { rebateOf } from "../world/trading/match.ts"
import type { Market } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { decimal } from "./decimal.ts"
import { badRequest, jsonRoutes, type Routes } from "./requests.ts"

const day = 86_400_000

/** The start of a day, YYYY-MM-DD. */
const startOf = (date: string): Millis => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(start)) throw badRequest("invalid date")
  return start
}

/** A maker's rebates of a day by market, newest trade first. */
const rebatesOf = (view: ClobView, wallet: number, start: Millis): ReadonlyMap<Market, Micro> => {
  const { facts, sim, markets } = view
  // The first exchange gave nothing back.
  const from = Math.max(start, sim.model.world.cutOver)
  const byMarket = new Map<Market, Micro>()
  for (const fill of facts.fillsByMaker.of(wallet)) {
    const tx = facts.txOf(fill)
    const at = facts.at.get(tx)
    if (at < from) break
    if (at >= start + day || facts.taker.get(fill) === exchangeAsTaker) continue
    const market = markets[facts.market.get(tx)] as Market
    const fee = facts.fee.get(facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1)
    const rebate = rebateOf(market, fee, facts.shares.get(fill), facts.amount.get(tx))
    if (rebate > 0) byMarket.set(market, (byMarket.get(market) ?? 0) + rebate)
  }
  return byMarket
}

export const rebateRoutes = (view: ClobView): Routes => {
  const { wallets } = view.sim.model
  const indexes = new Map(wallets.map(({ address: of }, index) => [of, index]))
  return jsonRoutes({
    "GET /rebates/current": ({ query }) => {
      const [date = "", maker = ""] = [query.text("date"), query.text("maker_address")]
      const start = startOf(date)
      if (!/^0x[0-9a-f]{40}$/i.test(maker)) throw badRequest("invalid maker_address")
      const wallet = indexes.get(maker.toLowerCase())
      const rebates = wallet === undefined ? [] : rebatesOf(view, wallet, start)
      return [...rebates].map(([{ conditionId }, rebate]) => ({
        date,
        condition_id: conditionId,
        asset_address: getAddress(address.pusd),
        maker_address: getAddress(maker as Hex),
        rebated_fees_usdc: decimal(rebate),
      }))
    },
  })
}
