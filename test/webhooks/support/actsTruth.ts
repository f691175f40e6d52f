import { chargedFees } from "#src/simulator/control/truth/feeRoutes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { Act, Side } from "#src/simulator/world/Facts.ts"

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

/** What the venue's own books say of some blocks. */
export const actsTruth = (simulation: Simulation, firstBlock: number, lastBlock: number) => {
  const { made, chain, logs } = simulation
  const { facts, venue } = made.world
  const wallet = (index: number) => made.wallets[index]?.address ?? ""
  const [first] = chain.actsOf(firstBlock)
  const [, end] = chain.actsOf(lastBlock)
  const acts = (kind: number) =>
    Array.from({ length: end - first }, (_, place) => first + place).filter((act) => facts.kind.get(act) === kind)
  const line = (act: number, ...rest: ReadonlyArray<unknown>) =>
    [chain.transactionHash(act), wallet(facts.wallet.get(act)), ...rest].join(" ")
  const condition = (act: number) => venue.markets[facts.market.get(act)]?.conditionId
  const pairs = (kind: number) => acts(kind).map((act) => line(act, condition(act), facts.amount.get(act)))

  const builderOf = (act: number, fill: number) => {
    const code = made.builders[facts.builder.get(fill) - 1]?.code
    return code === undefined || logs.exchangeOf(act).generation === 1 ? noBuilder : code
  }

  return {
    trades: acts(Act.match).flatMap((act) =>
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
    splits: pairs(Act.split),
    merges: pairs(Act.merge),
    redemptions: acts(Act.redeem).map((act) => line(act, condition(act), facts.extra.get(act))),
    conversions: acts(Act.convert).map((act) =>
      line(act, venue.markets[facts.market.get(act)]?.event.negRiskMarketId, facts.amount.get(act)),
    ),
    fees: chargedFees(simulation, { first, end }).map(({ transaction_hash, receiver, token_id, order_hash, usd }) =>
      [transaction_hash, receiver, token_id, order_hash, usd].join(" "),
    ),
  }
}
