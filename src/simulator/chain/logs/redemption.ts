import { payoutOf } from "../../world/Books.ts"
import type { Token } from "../../world/Venue.ts"
import { addressTopic, arrayWords, prefixed, word, zeroWord } from "../abi.ts"
import { address, moduleOf, topic } from "../contracts.ts"
import { collateralAdapterOf, type Positions, routerEvent } from "./positions.ts"
import { type Log, pay, payAny, transferShares, transferSharesBatch, wrap } from "./transfers.ts"

/** Shares of both outcomes that are redeemed, and their payout. */
export interface Redeemed {
  readonly amounts: readonly [number, number]
  readonly payout: number
  /** The auto-redeemer collects for the wallet. */
  readonly automatic: boolean
}

const held = ({ tokens }: Positions, amounts: Redeemed["amounts"]): ReadonlyArray<readonly [Token, number]> =>
  ([0, 1] as const).flatMap((outcome) => (amounts[outcome] === 0 ? [] : [[tokens[outcome], amounts[outcome]] as const]))

/** Every token that is not empty is burned by itself. */
const burn = (positions: Positions, holder: string, amounts: Redeemed["amounts"]) =>
  held(positions, amounts).map(([token, amount]) =>
    transferShares(
      { contract: positions.exchange.tokens, operator: holder, from: holder, to: address.zero },
      token,
      amount,
    ),
  )

/** Both tokens are handed over at once, empty ones too. */
const handOver = ({ exchange, tokens }: Positions, from: string, to: string, amounts: Redeemed["amounts"]): Log =>
  transferSharesBatch({ contract: exchange.tokens, operator: to, from, to }, tokens, amounts)

const ctfRedemption = (holder: string, collateral: string, conditionId: string, payout: number): Log => ({
  address: address.ctf,
  topics: [topic.payoutRedemption, addressTopic(holder), addressTopic(collateral), prefixed(zeroWord)],
  data: prefixed(conditionId.slice(2) + word(96) + word(payout) + arrayWords([1, 2])),
})

/** Redemption by `holder` in the contracts of the first generation. */
const redeemFirst = (positions: Positions, holder: string, { amounts, payout }: Redeemed): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  if (!exchange.negRisk) {
    return [
      ...burn(positions, holder, amounts),
      ...payAny(address.usdce, address.ctf, holder, payout),
      ctfRedemption(holder, address.usdce, market.conditionId, payout),
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    handOver(positions, holder, adapter, amounts),
    ...burn(positions, adapter, amounts),
    ...payAny(address.wrappedCollateral, address.ctf, adapter, payout),
    ctfRedemption(adapter, address.wrappedCollateral, market.conditionId, payout),
    ...payAny(address.wrappedCollateral, adapter, address.zero, payout),
    ...payAny(address.usdce, address.wrappedCollateral, holder, payout),
    {
      address: adapter,
      topics: [topic.negRiskRedemption, addressTopic(holder), market.conditionId],
      data: prefixed(word(64) + word(payout) + arrayWords(amounts)),
    },
  ]
}

const redeemSecond = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  if (redeemed.automatic) return redeemAutomatically(positions, wallet, redeemed)
  const adapter = collateralAdapterOf(positions.exchange)
  return [
    handOver(positions, wallet, adapter, redeemed.amounts),
    ...redeemFirst(positions, adapter, redeemed),
    ...wrap(adapter, adapter, wallet, redeemed.payout),
  ]
}

/** The auto-redeemer collects the tokens of a wallet and pays it through the ramp. */
const redeemAutomatically = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  const kind = exchange.negRisk ? topic.autoNegRiskRedemption : topic.autoBinaryRedemption
  const { autoRedeemer, collateralOnramp } = address
  return [
    handOver(positions, wallet, autoRedeemer, redeemed.amounts),
    ...redeemFirst(positions, autoRedeemer, redeemed),
    ...(redeemed.payout === 0 ? [] : wrap(collateralOnramp, autoRedeemer, wallet, redeemed.payout)),
    {
      address: autoRedeemer,
      topics: [kind, addressTopic(wallet), market.conditionId],
      data: prefixed(word(redeemed.payout)),
    },
  ]
}

const payAlways = (...payment: Parameters<typeof pay>): ReadonlyArray<Log> => [pay(...payment)]

/** Modules redeem each outcome separately, through the router or the auto-redeemer. Only that of combos mints no empty payout. */
const redeemAtModule = (positions: Positions, wallet: string, { amounts, automatic }: Redeemed): ReadonlyArray<Log> => {
  const { market } = positions
  const [first, second] = market.payouts ?? [0, 1]
  const { autoRedeemer, positionManager, pusd, router, zero } = address
  const module = moduleOf(market)
  const caller = automatic ? autoRedeemer : router
  const recipient = automatic ? autoRedeemer : wallet
  return held(positions, amounts).flatMap(([token, amount]): ReadonlyArray<Log> => {
    const payout = payoutOf(amount, token.outcome === 0 ? first : second, first + second)
    return [
      transferShares({ contract: positionManager, operator: caller, from: wallet, to: module }, token, amount),
      ...(market.isCombo ? payAny : payAlways)(pusd, zero, recipient, payout),
      transferShares({ contract: positionManager, operator: module, from: module, to: zero }, token, amount),
      {
        address: module,
        topics: [topic.positionRedeemed, addressTopic(caller), prefixed(token.hex), addressTopic(recipient)],
        data: prefixed(word(amount) + word(payout)),
      },
      ...(automatic
        ? [
            ...payAny(pusd, autoRedeemer, wallet, payout),
            {
              address: autoRedeemer,
              topics: [topic.autoRedemption, addressTopic(wallet), prefixed(token.hex)],
              data: prefixed(word(payout)),
            },
          ]
        : [routerEvent(topic.routerRedemption, wallet, prefixed(token.hex), amount)]),
    ]
  })
}

/** Redeems what a wallet holds of a resolved market. */
export const redeem = (positions: Positions, wallet: string, redeemed: Redeemed): ReadonlyArray<Log> => {
  const { generation } = positions.exchange
  if (generation === 3) return redeemAtModule(positions, wallet, redeemed)
  return generation === 2 ? redeemSecond(positions, wallet, redeemed) : redeemFirst(positions, wallet, redeemed)
}
