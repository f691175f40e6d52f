import { chargedFees } from "#src/simulator/control/truth/blockRoutes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, Side, TxKind } from "#src/simulator/world/Facts.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"
import { factKindOf, stepsOf } from "#test/support/comboSteps.ts"
import { redemptionsOf } from "#test/support/redemptions.ts"

/** Where something happened according to the venue's books. */
export interface TruePlace {
  readonly tx: string
  readonly block: number
  /** Unix seconds. */
  readonly at: number
}

export interface TrueAct extends TruePlace {
  readonly wallet: string
  readonly type: string
  /** Null for a conversion that names no market. */
  readonly ref: string | null | undefined
  readonly amount: number
  readonly extra: string | null
  readonly market: Market | undefined
  readonly questions: number
}

export interface TrueFlow extends TruePlace {
  readonly wallet: string
  readonly amount: number
}

export interface TrueFee extends TruePlace {
  readonly receiver: string
  readonly usd: number
  readonly token: string
  readonly orderHash: string
}

export interface TrueFeePaid extends TruePlace {
  readonly wallet: string
  readonly token: Token
  readonly isSale: boolean
  readonly shares: number
  readonly usd: number
  readonly charged: bigint
  readonly paid: bigint
}

const halfUp = (numerator: bigint, denominator: bigint) => (2n * numerator + denominator) / (2n * denominator)

/** Everything that the lists of activity show, newest first, from the venue's books up to its newest block. */
export const trueActivity = (simulation: Simulation) => {
  const { model, chain, logs, head } = simulation
  const { facts, venue, clock, cutOver } = model.world
  const [, end] = chain.txRange(head)
  const wallet = (index: number) => model.wallets[index]?.address ?? ""
  const acts: Array<TrueAct> = []
  const flows: Array<TrueFlow> = []
  const feesPaid: Array<TrueFeePaid> = []

  const placeOf = (block: number, tx: string): TruePlace => ({ tx, block, at: clock.timestampOf(block) })

  const readAct = (tx: number, place: TruePlace) => {
    const market = venue.markets[facts.market.get(tx)]
    const amount = facts.amount.get(tx)
    const own = { ...place, wallet: wallet(facts.wallet.get(tx)), market, questions: 0, amount, extra: null }
    const [ref, extra] = [market?.conditionId, facts.extra.get(tx)]
    switch (facts.kind.get(tx)) {
      case TxKind.split:
        return acts.push({ ...own, type: "split", ref })
      case TxKind.merge:
        return acts.push({ ...own, type: "merge", ref })
      case TxKind.redeem:
        if (market === undefined) throw new Error("a redemption has a market")
        return acts.push(
          ...redemptionsOf(facts, tx, market).map(({ payout, outcomes }) => {
            const sets = outcomes.map((outcome) => outcome + 1).join(",")
            return { ...own, type: "redemption", ref, amount: payout, extra: sets }
          }),
        )
      case TxKind.convert: {
        const questions = market?.event.markets.length ?? 0
        const ofMarket = { ref: market?.event.negRiskMarketId, extra: String(extra), market: undefined, questions }
        return acts.push({ ...own, type: "conversion", ...ofMarket })
      }
      case TxKind.combo:
        return acts.push(
          ...stepsOf(facts, tx).map((step) => {
            const type = factKindOf(step)
            const stepMarket = type === "conversion" ? undefined : venue.markets[step.market]
            return { ...own, type, ref: stepMarket?.conditionId ?? null, market: stepMarket, amount: step.amount }
          }),
        )
      case TxKind.transfer: {
        const token = venue.tokens[facts.token.get(tx)] as Token
        const moved = { ...own, ref: token.id, market: token.market }
        const [from, to] = [own.wallet, wallet(extra)]
        return acts.push(
          { ...moved, type: "transfer_in", wallet: to, extra: from },
          { ...moved, type: "transfer_out", extra: to },
        )
      }
      case TxKind.wrap:
      case TxKind.migrate:
      case TxKind.unwrap: {
        const isOut = facts.kind.get(tx) === TxKind.unwrap
        // The first collateral is not the venue's.
        return facts.at.get(tx) < cutOver ? 0 : flows.push({ ...own, amount: isOut ? -amount : amount })
      }
      default:
        return 0
    }
  }

  const readFees = (tx: number, place: TruePlace) => {
    const first = facts.firstFill.get(tx)
    for (let fill = first; fill < first + facts.fillCount.get(tx); fill++) {
      const fee = facts.fee.get(fill)
      if (fee === 0) continue
      const isSale = facts.side.get(fill) === Side.sell
      const [usd, shares] = [facts.usd.get(fill), facts.shares.get(fill)]
      const inShares = logs.exchangeOf(tx).generation === 1 && !isSale
      const dollars = (amount: number) =>
        inShares ? halfUp(BigInt(amount) * BigInt(usd), BigInt(shares)) : BigInt(amount)
      const refund = facts.taker.get(fill) === exchangeAsTaker ? facts.extra.get(tx) : 0
      const token = venue.tokens[facts.fillToken.get(fill)] as Token
      const own = { wallet: wallet(facts.maker.get(fill)), token, isSale, shares, usd }
      feesPaid.push({ ...place, ...own, charged: dollars(fee), paid: dollars(fee - refund) })
    }
  }

  for (let tx = 0; tx < end; tx++) {
    const place = placeOf(facts.block.get(tx) + firstBlock, chain.transactionHash(tx))
    if (facts.kind.get(tx) === TxKind.match) readFees(tx, place)
    else readAct(tx, place)
  }
  const fees = chargedFees(simulation, { first: 0, end }).map(
    (fee): TrueFee => ({
      ...placeOf(fee.block, fee.transaction_hash),
      receiver: fee.receiver,
      usd: fee.usd,
      token: fee.token_id,
      orderHash: fee.order_hash,
    }),
  )
  return {
    acts: acts.toReversed(),
    flows: flows.toReversed(),
    fees: fees.toReversed(),
    feesPaid: feesPaid.toReversed(),
  }
}
export type TrueActivity = ReturnType<typeof trueActivity>
