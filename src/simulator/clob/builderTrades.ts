import { iso } from "../gamma/format.ts"
import type { Query } from "../gamma/Query.ts"
import { hexOf, seedOf } from "../random.ts"
import { firstBlock } from "../world/blockClock.ts"
import { type Column, ints } from "../world/columns.ts"
import { exchangeAsTaker, Side } from "../world/Facts.ts"
import type { Builder, Wallet } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { averagePrice, decimal } from "./decimal.ts"
import { decodeCursor, encodeCursor, endCursor, type Page, pageSize } from "./pages.ts"
import { badRequest, jsonRoutes, orNotFound, type Routes } from "./requests.ts"

const tradeIds = seedOf(0, "trade ids")

const tradeId = (fill: number): string => {
  const hex = hexOf(16, tradeIds, fill)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-")
}

const tradeJson = (view: ClobView, fill: number, builder: Builder) => {
  const { facts, sim } = view
  const tx = facts.txOf(fill)
  const token = sim.model.world.venue.tokens[facts.fillToken.get(fill)] as Token
  const wallet = sim.model.wallets[facts.maker.get(fill)] as Wallet
  const [usd, shares, fee] = [facts.usd.get(fill), facts.shares.get(fill), facts.fee.get(fill)]
  const at = facts.at.get(tx)
  return {
    id: tradeId(fill),
    tradeType: facts.taker.get(fill) === exchangeAsTaker ? "TAKER" : "MAKER",
    takerOrderHash: sim.logs.orderHash(facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1),
    builder: builder.name,
    market: token.market.conditionId,
    assetId: token.id,
    side: facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
    size: decimal(shares),
    sizeUsdc: decimal(usd),
    price: decimal(averagePrice(usd, shares)),
    status: facts.block.get(tx) + firstBlock <= sim.head ? "TRADE_STATUS_CONFIRMED" : "TRADE_STATUS_MATCHED",
    outcome: token.market.plan.outcomes[token.outcome],
    outcomeIndex: token.outcome,
    owner: wallet.owner,
    maker: wallet.address,
    transactionHash: sim.chain.transactionHash(tx),
    matchTime: String(Math.floor(at / 1000)),
    bucketIndex: 0,
    fee: decimal(fee),
    feeUsdc: decimal(fee),
    builderFee: "0",
    builderCode: builder.code,
    err_msg: null,
    createdAt: iso(at),
    updatedAt: iso(at),
  }
}

type FillFilter = (fill: number) => boolean

const filtersIn = (view: ClobView, query: Query): ReadonlyArray<FillFilter> => {
  const { facts, sim } = view
  const [id, market, asset, maker] = ["id", "market", "asset_id", "maker_address"].map((name) => query.text(name))
  const [after, before] = [query.number("after"), query.number("before")]
  const tokenOf = (fill: number) => sim.model.world.venue.tokens[facts.fillToken.get(fill)] as Token
  const secondsOf = (fill: number) => Math.floor(facts.at.get(facts.txOf(fill)) / 1000)
  const condition = market?.toLowerCase()
  const address = maker?.toLowerCase()
  const filters: ReadonlyArray<FillFilter | undefined> = [
    (fill) => tokenOf(fill).market.legs === undefined,
    address === undefined ? undefined : (fill) => sim.model.wallets[facts.maker.get(fill)]?.address === address,
    condition === undefined ? undefined : (fill) => tokenOf(fill).market.conditionId === condition,
    asset === undefined ? undefined : (fill) => tokenOf(fill).id === asset,
    after === undefined ? undefined : (fill) => secondsOf(fill) > after,
    before === undefined ? undefined : (fill) => secondsOf(fill) < before,
    id === undefined ? undefined : (fill) => tradeId(fill) === id,
  ]
  return filters.filter((filter) => filter !== undefined)
}

/** Fills by the builder that submitted the order. */
class BuilderTrades {
  readonly #view: ClobView
  readonly #fillsOf: ReadonlyArray<Column<Int32Array>>
  #indexed = 0

  constructor(view: ClobView) {
    this.#view = view
    this.#fillsOf = view.sim.model.builders.map(() => ints())
  }

  /** Newest first. A cursor counts from the oldest fill, so new fills do not shift it. */
  page(builderIndex: number, query: Query): Page<object> {
    this.#catchUp()
    const fills = this.#fillsOf[builderIndex] as Column<Int32Array>
    const builder = this.#view.sim.model.builders[builderIndex] as Builder
    const filters = filtersIn(this.#view, query)
    const data: Array<object> = []
    const from = decodeCursor(query.text("next_cursor"))
    let next = from === 0 ? fills.length : Math.min(from, fills.length)
    while (next > 0 && data.length < pageSize) {
      const fill = fills.get(--next)
      if (filters.every((filter) => filter(fill))) data.push(tradeJson(this.#view, fill, builder))
    }
    return { data, next_cursor: next > 0 ? encodeCursor(next) : endCursor, limit: pageSize, count: data.length }
  }

  #catchUp(): void {
    const { facts } = this.#view
    for (; this.#indexed < facts.fills; this.#indexed++) {
      // Zero means no builder.
      this.#fillsOf[facts.builder.get(this.#indexed) - 1]?.push(this.#indexed)
    }
  }
}

export const builderRoutes = (view: ClobView): Routes => {
  const trades = new BuilderTrades(view)
  const builderIndex = (code: string): number | undefined => {
    const index = view.sim.model.builders.findIndex((builder) => builder.code === code.toLowerCase())
    return index === -1 ? undefined : index
  }
  return jsonRoutes({
    "GET /builder/trades": ({ query }) => {
      const code = query.text("builder_code")
      if (code === undefined) throw badRequest("builder_code is required")
      return trades.page(orNotFound(builderIndex(code), "builder not found"), query)
    },
    "GET /fees/builder-fees/*": ({ key }) => {
      orNotFound(builderIndex(key), "builder not found")
      // Builders charge nothing on top of the venue's fee.
      return { builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: 0 }
    },
  })
}
