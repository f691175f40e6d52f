import type { Millis } from "../../world/model.ts"
import type { Market } from "../../world/Venue.ts"
import { addressTopic, arrayWords, paddedAddress, prefixed, textWords, word, zeroWord } from "../abi.ts"
import { address, moduleOf, topic } from "../contracts.ts"
import { legHex, migratedConditionHex, negRiskData, reporterOf } from "../ids.ts"
import type { Positions } from "./positions.ts"
import type { Log } from "./transfers.ts"

const usd = 1_000_000

/** The question at the UMA oracle, with a reward of five dollars and a bond of five hundred. */
const questionInitialized = ({ market }: Positions, at: Millis): Log => ({
  address: address.umaAdapter,
  topics: [
    topic.questionInitialized,
    market.questionId,
    prefixed(word(Math.floor(at / 1000))),
    addressTopic(address.negRiskOperator),
  ],
  data: prefixed(
    word(128) +
      paddedAddress(address.usdce) +
      word(5 * usd) +
      word(500 * usd) +
      textWords(`q: title: ${market.plan.question}, description: ${market.event.plan.description}`),
  ),
})

const marketPrepared = ({ market }: Positions): Log => ({
  address: address.negRiskAdapter,
  topics: [topic.marketPrepared, market.event.negRiskMarketId ?? "0x", addressTopic(address.negRiskOperator)],
  data: prefixed(word(0) + word(64) + negRiskData(market.event.plan)),
})

const questionPrepared = ({ market }: Positions): Log => ({
  address: address.negRiskAdapter,
  topics: [topic.questionPrepared, market.event.negRiskMarketId ?? "0x", market.questionId],
  data: prefixed(word(market.questionIndex) + word(64) + textWords(market.plan.question)),
})

/** The first exchanges only traded registered tokens, each with its complement. */
const tokensRegistered = ({ market, exchange, tokens }: Positions): ReadonlyArray<Log> => {
  const [yes, no] = tokens
  return [
    [yes, no],
    [no, yes],
  ].map(([token0, token1]) => ({
    address: exchange.address,
    topics: [topic.tokenRegistered, prefixed(token0?.hex ?? ""), prefixed(token1?.hex ?? ""), market.conditionId],
    data: "0x",
  }))
}

/** The log of a new combo, and those that name its legs in the newer contracts for the first time. */
export const comboPrepared = ({ legs = [], conditionId }: Market) => {
  const registered = legs
    .filter(({ isFirstUse }) => isFirstUse)
    .map((leg): Log => {
      const module = leg.market.event.plan.negRisk ? address.negRiskModule : address.binaryModule
      const condition = `0x${migratedConditionHex(leg.market)}00`
      return { address: module, topics: [topic.migrationRegistered, condition, leg.market.conditionId], data: "0x" }
    })
  const preparation: Log = {
    address: address.comboModule,
    topics: [topic.comboPrepared, conditionId],
    data: prefixed(word(32) + word(legs.length) + legs.map(legHex).join("")),
  }
  return { registered, preparation }
}

export const prepare = (positions: Positions, at: Millis): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  if (exchange.generation === 3) {
    const { registered, preparation } = comboPrepared(market)
    return [...registered, preparation]
  }
  const prepared: Log = {
    address: address.ctf,
    topics: [topic.conditionPreparation, market.conditionId, addressTopic(reporterOf(market)), market.questionId],
    data: prefixed(word(2)),
  }
  return [
    ...(exchange.negRisk && market.questionIndex === 0 ? [marketPrepared(positions)] : []),
    prepared,
    exchange.negRisk ? questionPrepared(positions) : questionInitialized(positions, at),
    ...(exchange.generation === 1 ? tokensRegistered(positions) : []),
  ]
}

const settledPrice = ([first, second]: readonly [number, number]): bigint =>
  first === second ? 5n * 10n ** 17n : first > 0 ? 10n ** 18n : 0n

const million = 1_000_000

/** A module takes over the result of the older contracts, and redeems there what it holds: nothing. */
const takeOver = ({ market }: Positions, payouts: readonly [number, number]): ReadonlyArray<Log> => {
  const module = moduleOf(market)
  const legacy = market.legs?.[0]?.market.conditionId ?? "0x"
  const yes = Math.floor((payouts[0] * million) / (payouts[0] + payouts[1]))
  const result = [yes, million - yes]
  const data = prefixed(word(32) + arrayWords(result))
  return [
    { address: module, topics: [topic.conditionResolved, market.conditionId], data },
    { address: module, topics: [topic.resultReported, addressTopic(module), market.conditionId], data },
    {
      address: module,
      topics: [topic.migrationResolved, market.conditionId, legacy],
      data: prefixed([...payouts, ...result].map(word).join("")),
    },
    {
      address: address.ctf,
      topics: [topic.payoutRedemption, addressTopic(module), addressTopic(address.usdce), prefixed(zeroWord)],
      data: prefixed(legacy.slice(2) + word(96) + word(0) + arrayWords([1, 2])),
    },
  ]
}

export const resolve = (positions: Positions): ReadonlyArray<Log> => {
  const { market, exchange } = positions
  const payouts = market.payouts ?? ([0, 0] as const)
  if (exchange.generation === 3) return takeOver(positions, payouts)
  const resolution: Log = {
    address: address.ctf,
    topics: [topic.conditionResolution, market.conditionId, addressTopic(reporterOf(market)), market.questionId],
    data: prefixed(word(2) + word(64) + arrayWords(payouts)),
  }
  const report: Log = exchange.negRisk
    ? {
        address: address.negRiskAdapter,
        topics: [topic.outcomeReported, market.event.negRiskMarketId ?? "0x", market.questionId],
        data: prefixed(word(payouts[0] > 0 ? 1 : 0)),
      }
    : {
        address: address.umaAdapter,
        topics: [
          topic.questionResolved,
          market.questionId,
          prefixed(settledPrice(payouts).toString(16).padStart(64, "0")),
        ],
        data: prefixed(word(32) + arrayWords(payouts)),
      }
  return [resolution, report]
}
