import type { Hex } from "viem"
import { getAddress } from "viem/utils"
import { address } from "../chain/contracts.ts"
import { dateOf } from "../gamma/format.ts"
import { exchangeAsTaker } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import { rebateOf } from "../world/trading/match.ts"
import type { Market } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { decimal } from "./decimal.ts"
import { badRequest, jsonRoutes, type Routes } from "./requests.ts"

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** A maker's rebates of a day by market, newest trade first. */
const rebatesOf = (view: ClobView, wallet: number, date: string): ReadonlyMap<Market, Micro> => {
  const { facts, sim, markets } = view
  const { cutOver } = sim.model.world
  const byMarket = new Map<Market, Micro>()
  for (const fill of facts.fillsByMaker.of(wallet)) {
    const tx = facts.txOf(fill)
    const at = facts.at.get(tx)
    const isOwn = facts.taker.get(fill) === exchangeAsTaker
    // The first exchange gave nothing back.
    if (isOwn || at < cutOver || dateOf(at) !== date) continue
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
      if (!dayPattern.test(date) || Number.isNaN(Date.parse(date))) throw badRequest("invalid date")
      if (!/^0x[0-9a-f]{40}$/i.test(maker)) throw badRequest("invalid maker_address")
      const wallet = indexes.get(maker.toLowerCase())
      const rebates = wallet === undefined ? [] : rebatesOf(view, wallet, date)
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
