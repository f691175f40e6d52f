import type { Query } from "../gamma/Query.ts"
import { iso } from "../gamma/times.ts"
import { hexOf, seedOf } from "../random.ts"
import { firstBlock } from "../world/blockClock.ts"
import { type Column, ints } from "../world/columns.ts"
import { exchange, Side } from "../world/Facts.ts"
import type { Builder, Wallet } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { averagePrice, decimal } from "./decimal.ts"
import { cursorOf, endCursor, mostPerPage, type Page, placeOf } from "./pages.ts"

const ids = seedOf(0, "trade ids")

const idOf = (fill: number): string => {
  const hex = hexOf(16, ids, fill)
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-")
}

const tradeJson = (view: ClobView, fill: number, builder: Builder) => {
  const { facts, sim } = view
  const act = facts.actOf(fill)
  const token = sim.made.world.venue.tokens[facts.fillToken.get(fill)] as Token
  const wallet = sim.made.wallets[facts.maker.get(fill)] as Wallet
  const [usd, shares, fee] = [facts.usd.get(fill), facts.shares.get(fill), facts.fee.get(fill)]
  const at = facts.at.get(act)
  return {
    id: idOf(fill),
    tradeType: facts.taker.get(fill) === exchange ? "TAKER" : "MAKER",
    takerOrderHash: sim.logs.orderHash(facts.firstFill.get(act) + facts.fillCount.get(act) - 1),
    builder: builder.name,
    market: token.market.conditionId,
    assetId: token.id,
    side: facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
    size: decimal(shares),
    sizeUsdc: decimal(usd),
    price: decimal(averagePrice(usd, shares)),
    status: facts.block.get(act) + firstBlock <= sim.head ? "TRADE_STATUS_CONFIRMED" : "TRADE_STATUS_MATCHED",
    outcome: token.market.plan.outcomes[token.outcome],
    outcomeIndex: token.outcome,
    owner: wallet.owner,
    maker: wallet.address,
    transactionHash: sim.chain.transactionHash(act),
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

type Test = (fill: number) => boolean

const testsIn = (view: ClobView, query: Query): ReadonlyArray<Test> => {
  const { facts, sim } = view
  const [id, market, asset, maker] = ["id", "market", "asset_id", "maker_address"].map((name) => query.text(name))
  const [after, before] = [query.number("after"), query.number("before")]
  const tokenOf = (fill: number) => sim.made.world.venue.tokens[facts.fillToken.get(fill)] as Token
  const secondsOf = (fill: number) => Math.floor(facts.at.get(facts.actOf(fill)) / 1000)
  const condition = market?.toLowerCase()
  const address = maker?.toLowerCase()
  const tests: ReadonlyArray<Test | undefined> = [
    (fill) => tokenOf(fill).market.legs === undefined,
    address === undefined ? undefined : (fill) => sim.made.wallets[facts.maker.get(fill)]?.address === address,
    condition === undefined ? undefined : (fill) => tokenOf(fill).market.conditionId === condition,
    asset === undefined ? undefined : (fill) => tokenOf(fill).id === asset,
    after === undefined ? undefined : (fill) => secondsOf(fill) > after,
    before === undefined ? undefined : (fill) => secondsOf(fill) < before,
    id === undefined ? undefined : (fill) => idOf(fill) === id,
  ]
  return tests.filter((test) => test !== undefined)
}

/** The filled orders that each builder brought. */
export class BuilderTrades {
  readonly #view: ClobView
  readonly #fillsOf: ReadonlyArray<Column<Int32Array>>
  #seen = 0

  constructor(view: ClobView) {
    this.#view = view
    this.#fillsOf = view.sim.made.builders.map(() => ints())
  }

  /** Newest first; a cursor is the place to go on from, counted from the oldest, so that new ones do not move it. */
  page(place: number, query: Query): Page<object> {
    this.#catchUp()
    const fills = this.#fillsOf[place] as Column<Int32Array>
    const builder = this.#view.sim.made.builders[place] as Builder
    const tests = testsIn(this.#view, query)
    const data: Array<object> = []
    const from = placeOf(query.text("next_cursor"))
    let next = from === 0 ? fills.length : Math.min(from, fills.length)
    while (next > 0 && data.length < mostPerPage) {
      const fill = fills.get(--next)
      if (tests.every((test) => test(fill))) data.push(tradeJson(this.#view, fill, builder))
    }
    return { data, next_cursor: next > 0 ? cursorOf(next) : endCursor, limit: mostPerPage, count: data.length }
  }

  #catchUp(): void {
    const { facts } = this.#view
    for (; this.#seen < facts.fills; this.#seen++) {
      // Zero is nobody.
      this.#fillsOf[facts.builder.get(this.#seen) - 1]?.push(this.#seen)
    }
  }
}
