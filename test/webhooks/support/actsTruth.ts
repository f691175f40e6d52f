import { chargedFees } from "#src/simulator/control/truth/blockRoutes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { factKindOf, stepsOf } from "#test/support/comboSteps.ts"
import { redemptionsOf } from "#test/support/redemptions.ts"

export interface TrueTrade {
  readonly tx: string
  readonly maker: string
  readonly taker: string
  readonly isOwn: boolean
  readonly token: string
  readonly direction: string
  readonly usd: number
  readonly builder: string
}

const noBuilder = `0x${"0".repeat(64)}`

/** Activity in some blocks according to the venue's books. */
export const actsTruth = (simulation: Simulation, firstBlock: number, lastBlock: number) => {
  const { model, chain, logs } = simulation
  const { facts, venue } = model.world
  const wallet = (index: number) => model.wallets[index]?.address ?? ""
  const [first] = chain.txRange(firstBlock)
  const [, end] = chain.txRange(lastBlock)
  const acts = (kind: number) =>
    Array.from({ length: end - first }, (_, place) => first + place).filter((act) => facts.kind.get(act) === kind)
  const line = (act: number, ...rest: ReadonlyArray<unknown>) =>
    [chain.transactionHash(act), wallet(facts.wallet.get(act)), ...rest].join(" ")
  const condition = (act: number) => venue.markets[facts.market.get(act)]?.conditionId
  const pairs = (kind: number, ofStep: "split" | "merge") =>
    [...acts(kind), ...acts(TxKind.combo)]
      .toSorted((a, b) => a - b)
      .flatMap((act) =>
        facts.kind.get(act) === kind
          ? [line(act, condition(act), facts.amount.get(act))]
          : stepsOf(facts, act)
              .filter((step) => factKindOf(step) === ofStep)
              .map(({ market, amount }) => line(act, venue.markets[market]?.conditionId, amount)),
      )

  const builderOf = (act: number, fill: number) => {
    const code = model.builders[facts.builder.get(fill) - 1]?.code
    return code === undefined || logs.exchangeOf(act).generation === 1 ? noBuilder : code
  }

  return {
    trades: acts(TxKind.match).flatMap((act) =>
      Array.from({ length: facts.fillCount.get(act) }, (_, place): TrueTrade => {
        const fill = facts.firstFill.get(act) + place
        const taker = facts.taker.get(fill)
        return {
          tx: chain.transactionHash(act),
          maker: wallet(facts.maker.get(fill)),
          taker: taker < 0 ? logs.exchangeOf(act).address : wallet(taker),
          isOwn: taker < 0,
          token: venue.tokens[facts.fillToken.get(fill)]?.id ?? "",
          direction: facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
          usd: facts.usd.get(fill),
          builder: builderOf(act, fill),
        }
      }),
    ),
    splits: pairs(TxKind.split, "split"),
    merges: pairs(TxKind.merge, "merge"),
    redemptions: acts(TxKind.redeem).flatMap((act) => {
      const market = venue.markets[facts.market.get(act)]
      if (market === undefined) throw new Error("a redemption has a market")
      return redemptionsOf(facts, act, market).map(({ payout }) => line(act, market.conditionId, payout))
    }),
    conversions: [...acts(TxKind.convert), ...acts(TxKind.combo)]
      .toSorted((a, b) => a - b)
      .flatMap((act) =>
        facts.kind.get(act) === TxKind.convert
          ? [line(act, venue.markets[facts.market.get(act)]?.event.negRiskMarketId, facts.amount.get(act))]
          : stepsOf(facts, act)
              .filter((step) => factKindOf(step) === "conversion")
              .map(({ amount }) => line(act, undefined, amount)),
      ),
    fees: chargedFees(simulation, { first, end }).map(({ transaction_hash, receiver, token_id, order_hash, usd }) =>
      [transaction_hash, receiver, token_id, order_hash, usd].join(" "),
    ),
  }
}
