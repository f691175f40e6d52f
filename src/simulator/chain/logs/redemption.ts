import { payoutOf } from "../../world/Books.ts"
import type { Token } from "../../world/Venue.ts"
import { addressTopic, arrayWords, prefixed, word, zeroWord } from "../abi.ts"
import { address, topic } from "../contracts.ts"
import { collateralAdapterOf, type Positions } from "./positions.ts"
import { type Log, pay, transferShares, wrap } from "./transfers.ts"

/** Shares of both outcomes that are redeemed, and their payout. */
export interface Redeemed {
  readonly amounts: readonly [number, number]
  readonly payout: number
  /** The auto-redeemer collects for the wallet. */
  readonly automatic: boolean
}

const held = ({ tokens }: Positions, amounts: Redeemed["amounts"]): ReadonlyArray<readonly [Token, number]> =>
  ([0, 1] as const).flatMap((outcome) => (amounts[outcome] === 0 ? [] : [[tokens[outcome], amounts[outcome]] as const]))

const surrender = (positions: Positions, operator: string, from: string, to: string, amounts: Redeemed["amounts"]) =>
  held(positions, amounts).map(([token, amount]) =>
    transferShares({ contract: positions.exchange.tokens, operator, from, to }, token, amount),
  )

/** Redemption by `holder` in the contracts of the first generation. */
const redeemFirst = (positions: Positions, holder: string, { amounts, payout }: Redeemed): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  if (!exchange.negRisk) {
    return [
      ...surrender(positions, holder, holder, address.zero, amounts),
      pay(address.usdce, address.ctf, holder, payout),
      {
        address: address.ctf,
        topics: [topic.payoutRedemption, addressTopic(holder), addressTopic(address.usdce), prefixed(zeroWord)],
        data: prefixed(market.conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
      },
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    ...surrender(positions, adapter, holder, adapter, amounts),
    ...surrender(positions, adapter, adapter, address.zero, amounts),
    {
      address: address.ctf,
      topics: [
        topic.payoutRedemption,
        addressTopic(adapter),
        addressTopic(address.wrappedCollateral),
        prefixed(zeroWord),
      ],
      data: prefixed(market.conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
    },
    pay(address.usdce, adapter, holder, payout),
    {
      address: adapter,
      topics: [topic.negRiskRedemption, addressTopic(holder), market.conditionId],
      data: prefixed(word(64) + word(payout) + arrayWords(amounts)),
    },
  ]
}

const redeemSecond = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  const collector = redeemed.automatic ? address.autoRedeemer : adapter
  const logs = [
    ...surrender(positions, collector, wallet, adapter, redeemed.amounts),
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
      data: prefixed(word(redeemed.payout)),
    },
  ]
}

/** Combos redeem each outcome separately. */
const redeemCombo = (positions: Positions, wallet: string, { amounts, automatic }: Redeemed): ReadonlyArray<Log> => {
  const [first, second] = positions.market.payouts ?? [0, 1]
  const initiator = automatic ? address.autoRedeemer : wallet
  return held(positions, amounts).flatMap(([token, amount]) => {
    const payout = payoutOf(amount, token.outcome === 0 ? first : second, first + second)
    const burn = transferShares(
      { contract: address.positionManager, operator: initiator, from: wallet, to: address.zero },
      token,
      amount,
    )
    const redeemed: Log = {
      address: address.comboModule,
      topics: [topic.positionRedeemed, addressTopic(initiator), prefixed(token.hex), addressTopic(wallet)],
      data: prefixed(word(amount) + word(payout)),
    }
    const collected: Log = {
      address: address.autoRedeemer,
      topics: [topic.autoRedemption, addressTopic(wallet), prefixed(token.hex)],
      data: prefixed(word(payout)),
    }
    return [burn, pay(address.pusd, address.comboModule, wallet, payout), redeemed, ...(automatic ? [collected] : [])]
  })
}

/** Redeems what a wallet holds of a resolved market. */
export const redeem = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const { generation } = positions.exchange
  if (generation === 3) return redeemCombo(positions, wallet, redeemed)
  return generation === 2 ? redeemSecond(positions, wallet, redeemed) : redeemFirst(positions, wallet, redeemed)
}
