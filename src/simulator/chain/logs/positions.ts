import type { Market } from "../../world/Venue.ts"
import { address, topic } from "../contracts.ts"
import type { Exchange } from "../exchanges.ts"
import { addressTopic, arrayWords, asTopic, padded, word, zeroWord } from "../words.ts"
import { type Log, moveAll, pay, type TokenPair, unwrap, wrap } from "./transfers.ts"

/** A market with what its positions are made of. */
export interface Positions {
  readonly market: Market
  readonly exchange: Exchange
  readonly tokens: TokenPair
}

/** The CTF's own event of a split or merge by `holder`. */
const ctfEvent = (kind: string, holder: string, { market, exchange }: Positions, amount: number): Log => ({
  address: address.ctf,
  topics: [kind, addressTopic(holder), asTopic(zeroWord), market.conditionId],
  data: asTopic(
    padded(exchange.negRisk ? address.wrappedCollateral : address.usdce) + word(96) + word(amount) + arrayWords([1, 2]),
  ),
})

const negRiskEvent = (kind: string, holder: string, { market }: Positions, amount: number): Log => ({
  address: address.negRiskAdapter,
  topics: [kind, addressTopic(holder), market.conditionId],
  data: asTopic(word(amount)),
})

/** The adapter that takes the second collateral and works with the first. */
export const collateralAdapterOf = ({ negRisk }: Exchange): string =>
  negRisk ? address.negRiskCollateralAdapter : address.collateralAdapter

const both = (positions: Positions, operator: string, from: string, to: string, amount: number): Log =>
  moveAll({ contract: positions.exchange.tokens, operator, from, to }, positions.tokens, [amount, amount])

/** Collateral of `holder` becomes both outcomes, in the contracts of the first generation. */
const splitFirst = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  if (!positions.exchange.negRisk) {
    return [
      pay(address.usdce, holder, address.ctf, amount),
      both(positions, holder, address.zero, holder, amount),
      ctfEvent(topic.positionSplit, holder, positions, amount),
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    pay(address.usdce, holder, adapter, amount),
    ...mintAtAdapter(positions, amount),
    both(positions, adapter, adapter, holder, amount),
    negRiskEvent(topic.negRiskSplit, holder, positions, amount),
  ]
}

const mergeFirst = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  if (!positions.exchange.negRisk) {
    return [
      both(positions, holder, holder, address.zero, amount),
      pay(address.usdce, address.ctf, holder, amount),
      ctfEvent(topic.positionsMerge, holder, positions, amount),
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    both(positions, adapter, holder, adapter, amount),
    both(positions, adapter, adapter, address.zero, amount),
    ctfEvent(topic.positionsMerge, adapter, positions, amount),
    pay(address.usdce, adapter, holder, amount),
    negRiskEvent(topic.negRiskMerge, holder, positions, amount),
  ]
}

/** Both outcomes come into being for the neg-risk adapter itself, out of collateral that it holds. */
export const mintAtAdapter = (positions: Positions, amount: number): ReadonlyArray<Log> => {
  const adapter = address.negRiskAdapter
  return [
    both(positions, adapter, address.zero, adapter, amount),
    ctfEvent(topic.positionSplit, adapter, positions, amount),
  ]
}

/** In the second generation an adapter holds the positions for a moment, and its name is in the contracts' events. */
const splitSecond = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  return [
    pay(address.pusd, holder, adapter, amount),
    ...unwrap(adapter, adapter, adapter, amount),
    ...splitFirst(positions, adapter, amount),
    both(positions, adapter, adapter, holder, amount),
  ]
}

const mergeSecond = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  return [
    both(positions, adapter, holder, adapter, amount),
    ...mergeFirst(positions, adapter, amount),
    ...wrap(adapter, adapter, holder, amount),
  ]
}

const splitCombo = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, holder, address.comboModule, amount),
  both(positions, address.comboModule, address.zero, holder, amount),
  {
    address: address.comboModule,
    topics: [topic.positionsSplit, addressTopic(holder), positions.market.conditionId, addressTopic(holder)],
    data: asTopic(padded(holder) + word(amount)),
  },
]

const mergeCombo = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => [
  both(positions, address.comboModule, holder, address.zero, amount),
  pay(address.pusd, address.comboModule, holder, amount),
  {
    address: address.comboModule,
    topics: [topic.positionsMerged, addressTopic(holder), positions.market.conditionId, addressTopic(holder)],
    data: asTopic(word(amount)),
  },
]

type Moves = (positions: Positions, holder: string, amount: number) => ReadonlyArray<Log>

const splits: Readonly<Record<Exchange["generation"], Moves>> = { 1: splitFirst, 2: splitSecond, 3: splitCombo }
const merges: Readonly<Record<Exchange["generation"], Moves>> = { 1: mergeFirst, 2: mergeSecond, 3: mergeCombo }

/** Collateral of `holder`, who may be the exchange itself, becomes both outcomes. */
export const split: Moves = (positions, holder, amount) =>
  splits[positions.exchange.generation](positions, holder, amount)

/** Both outcomes of `holder` become collateral. */
export const merge: Moves = (positions, holder, amount) =>
  merges[positions.exchange.generation](positions, holder, amount)
