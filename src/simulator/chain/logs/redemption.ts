import { payoutOf } from "../../world/Books.ts"
import type { Token } from "../../world/Venue.ts"
import { address, topic } from "../contracts.ts"
import { addressTopic, arrayWords, asTopic, word, zeroWord } from "../words.ts"
import { collateralAdapterOf, type Positions } from "./positions.ts"
import { type Log, move, pay, wrap } from "./transfers.ts"

/** What is handed in of both outcomes, and what is paid for it. */
export interface Redeemed {
  readonly amounts: readonly [number, number]
  readonly payout: number
  /** A service of the venue collects for the wallet. */
  readonly automatic: boolean
}

const held = ({ tokens }: Positions, amounts: Redeemed["amounts"]): ReadonlyArray<readonly [Token, number]> =>
  ([0, 1] as const).flatMap((outcome) => (amounts[outcome] === 0 ? [] : [[tokens[outcome], amounts[outcome]] as const]))

const handOver = (positions: Positions, operator: string, from: string, to: string, amounts: Redeemed["amounts"]) =>
  held(positions, amounts).map(([token, amount]) =>
    move({ contract: positions.exchange.tokens, operator, from, to }, token, amount),
  )

/** The contracts of the first generation pay `holder`. */
const redeemFirst = (positions: Positions, holder: string, { amounts, payout }: Redeemed): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  if (!exchange.negRisk) {
    return [
      ...handOver(positions, holder, holder, address.zero, amounts),
      pay(address.usdce, address.ctf, holder, payout),
      {
        address: address.ctf,
        topics: [topic.payoutRedemption, addressTopic(holder), addressTopic(address.usdce), asTopic(zeroWord)],
        data: asTopic(market.conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
      },
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    ...handOver(positions, adapter, holder, adapter, amounts),
    ...handOver(positions, adapter, adapter, address.zero, amounts),
    {
      address: address.ctf,
      topics: [
        topic.payoutRedemption,
        addressTopic(adapter),
        addressTopic(address.wrappedCollateral),
        asTopic(zeroWord),
      ],
      data: asTopic(market.conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
    },
    pay(address.usdce, adapter, holder, payout),
    {
      address: adapter,
      topics: [topic.negRiskRedemption, addressTopic(holder), market.conditionId],
      data: asTopic(word(64) + word(payout) + arrayWords(amounts)),
    },
  ]
}

const redeemSecond = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  const collector = redeemed.automatic ? address.autoRedeemer : adapter
  const logs = [
    ...handOver(positions, collector, wallet, adapter, redeemed.amounts),
    ...redeemFirst(positions, adapter, redeemed),
    ...(redeemed.payout === 0 ? [] : wrap(adapter, adapter, wallet, redeemed.payout)),
  ]
  if (!redeemed.automatic) return logs
  const kind = positions.exchange.negRisk ? topic.autoNegRiskRedemption : topic.autoBinaryRedemption
  return [
    ...logs,
    {
      address: address.autoRedeemer,
      topics: [kind, addressTopic(wallet), positions.market.conditionId],
      data: asTopic(word(redeemed.payout)),
    },
  ]
}

/** Each outcome of a combo by itself. */
const redeemCombo = (positions: Positions, wallet: string, { amounts, automatic }: Redeemed): ReadonlyArray<Log> => {
  const [first, second] = positions.market.payouts ?? [0, 1]
  const initiator = automatic ? address.autoRedeemer : wallet
  return held(positions, amounts).flatMap(([token, amount]) => {
    const payout = payoutOf(amount, token.outcome === 0 ? first : second, first + second)
    const burn = move(
      { contract: address.positionManager, operator: initiator, from: wallet, to: address.zero },
      token,
      amount,
    )
    const redeemed: Log = {
      address: address.comboModule,
      topics: [topic.positionRedeemed, addressTopic(initiator), asTopic(token.hex), addressTopic(wallet)],
      data: asTopic(word(amount) + word(payout)),
    }
    const collected: Log = {
      address: address.autoRedeemer,
      topics: [topic.autoRedemption, addressTopic(wallet), asTopic(token.hex)],
      data: asTopic(word(payout)),
    }
    return [burn, pay(address.pusd, address.comboModule, wallet, payout), redeemed, ...(automatic ? [collected] : [])]
  })
}

/** A wallet hands in what it holds of a resolved market. */
export const redeem = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const { generation } = positions.exchange
  if (generation === 3) return redeemCombo(positions, wallet, redeemed)
  return generation === 2 ? redeemSecond(positions, wallet, redeemed) : redeemFirst(positions, wallet, redeemed)
}
