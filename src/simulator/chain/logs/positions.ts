import type { Market } from "../../world/Venue.ts"
import { addressTopic, arrayWords, paddedAddress, prefixed, word, zeroWord } from "../abi.ts"
import { address, type Exchange, topic } from "../contracts.ts"
import { type Log, pay, type TokenPair, transferShares, transferSharesBatch, unwrap, wrap } from "./transfers.ts"

/** A market with its exchange and tokens. */
export interface Positions {
  readonly market: Market
  readonly exchange: Exchange
  readonly tokens: TokenPair
}

/** The CTF event of a split or merge by `holder`. */
const ctfEvent = (kind: string, holder: string, { market, exchange }: Positions, amount: number): Log => ({
  address: address.ctf,
  topics: [kind, addressTopic(holder), prefixed(zeroWord), market.conditionId],
  data: prefixed(
    paddedAddress(exchange.negRisk ? address.wrappedCollateral : address.usdce) +
      word(96) +
      word(amount) +
      arrayWords([1, 2]),
  ),
})

const negRiskEvent = (kind: string, holder: string, { market }: Positions, amount: number): Log => ({
  address: address.negRiskAdapter,
  topics: [kind, addressTopic(holder), market.conditionId],
  data: prefixed(word(amount)),
})

/** The adapter that accepts the second collateral and uses the first. */
export const collateralAdapterOf = ({ negRisk }: Exchange): string =>
  negRisk ? address.negRiskCollateralAdapter : address.collateralAdapter

const transferBoth = (positions: Positions, operator: string, from: string, to: string, amount: number): Log =>
  transferSharesBatch({ contract: positions.exchange.tokens, operator, from, to }, positions.tokens, [amount, amount])

/** Splits collateral of `holder` into both outcomes in the contracts of the first generation. */
const splitFirst = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  if (!positions.exchange.negRisk) {
    return [
      pay(address.usdce, holder, address.ctf, amount),
      transferBoth(positions, holder, address.zero, holder, amount),
      ctfEvent(topic.positionSplit, holder, positions, amount),
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    pay(address.usdce, holder, adapter, amount),
    pay(address.usdce, adapter, address.wrappedCollateral, amount),
    pay(address.wrappedCollateral, address.zero, adapter, amount),
    ...mintAtAdapter(positions, amount),
    transferBoth(positions, adapter, adapter, holder, amount),
    negRiskEvent(topic.negRiskSplit, holder, positions, amount),
  ]
}

const mergeFirst = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  if (!positions.exchange.negRisk) {
    return [
      transferBoth(positions, holder, holder, address.zero, amount),
      pay(address.usdce, address.ctf, holder, amount),
      ctfEvent(topic.positionsMerge, holder, positions, amount),
    ]
  }
  const adapter = address.negRiskAdapter
  return [
    transferBoth(positions, adapter, holder, adapter, amount),
    transferBoth(positions, adapter, adapter, address.zero, amount),
    pay(address.wrappedCollateral, address.ctf, adapter, amount),
    ctfEvent(topic.positionsMerge, adapter, positions, amount),
    pay(address.wrappedCollateral, adapter, address.zero, amount),
    pay(address.usdce, address.wrappedCollateral, holder, amount),
    negRiskEvent(topic.negRiskMerge, holder, positions, amount),
  ]
}

/** Mints both outcomes for the neg-risk adapter from collateral that it holds. */
export const mintAtAdapter = (positions: Positions, amount: number): ReadonlyArray<Log> => {
  const adapter = address.negRiskAdapter
  return [
    pay(address.wrappedCollateral, adapter, address.ctf, amount),
    transferBoth(positions, adapter, address.zero, adapter, amount),
    ctfEvent(topic.positionSplit, adapter, positions, amount),
  ]
}

/** In the second generation an adapter holds the positions temporarily and appears in the contracts' events. */
const splitSecond = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  return [
    ...unwrap(adapter, holder, adapter, amount),
    ...splitFirst(positions, adapter, amount),
    transferBoth(positions, adapter, adapter, holder, amount),
  ]
}

const mergeSecond = (positions: Positions, holder: string, amount: number): ReadonlyArray<Log> => {
  const adapter = collateralAdapterOf(positions.exchange)
  return [
    transferBoth(positions, adapter, holder, adapter, amount),
    ...mergeFirst(positions, adapter, amount),
    ...wrap(adapter, adapter, holder, amount),
  ]
}

/** Mints each outcome for its recipient; the module was paid for them. */
export const splitAtModule = (
  positions: Positions,
  caller: string,
  [first, second]: readonly [string, string],
  amount: number,
): ReadonlyArray<Log> => {
  const { comboModule, positionManager, pusd, zero } = address
  const mint = { contract: positionManager, operator: comboModule, from: zero }
  const [yes, no] = positions.tokens
  return [
    transferShares({ ...mint, to: first }, yes, amount),
    transferShares({ ...mint, to: second }, no, amount),
    pay(pusd, comboModule, zero, amount),
    {
      address: comboModule,
      topics: [topic.positionsSplit, addressTopic(caller), positions.market.conditionId, addressTopic(first)],
      data: prefixed(paddedAddress(second) + word(amount)),
    },
  ]
}

/** Burns both outcomes that the module holds, and pays the recipient. */
export const mergeAtModule = (
  positions: Positions,
  caller: string,
  recipient: string,
  amount: number,
): ReadonlyArray<Log> => {
  const { comboModule, pusd, zero } = address
  return [
    pay(pusd, zero, recipient, amount),
    transferBoth(positions, comboModule, comboModule, zero, amount),
    {
      address: comboModule,
      topics: [topic.positionsMerged, addressTopic(caller), positions.market.conditionId, addressTopic(recipient)],
      data: prefixed(word(amount)),
    },
  ]
}

/** What the router logs of a wallet's operation, after the module; the subject is a condition or a token. */
export const routerEvent = (kind: string, wallet: string, subject: string, amount: number): Log => ({
  address: address.router,
  topics: [kind, addressTopic(wallet), subject],
  data: prefixed(word(amount)),
})

const splitCombo = (positions: Positions, wallet: string, amount: number): ReadonlyArray<Log> => [
  pay(address.pusd, wallet, address.comboModule, amount),
  ...splitAtModule(positions, address.router, [wallet, wallet], amount),
  routerEvent(topic.routerSplit, wallet, positions.market.conditionId, amount),
]

const mergeCombo = (positions: Positions, wallet: string, amount: number): ReadonlyArray<Log> => {
  const { comboModule, positionManager, router } = address
  const give = { contract: positionManager, operator: router, from: wallet, to: comboModule }
  return [
    ...positions.tokens.map((token) => transferShares(give, token, amount)),
    ...mergeAtModule(positions, router, wallet, amount),
    routerEvent(topic.routerMerge, wallet, positions.market.conditionId, amount),
  ]
}

type PositionLogs = (positions: Positions, holder: string, amount: number) => ReadonlyArray<Log>

const splits: Readonly<Record<Exchange["generation"], PositionLogs>> = { 1: splitFirst, 2: splitSecond, 3: splitCombo }
const merges: Readonly<Record<Exchange["generation"], PositionLogs>> = { 1: mergeFirst, 2: mergeSecond, 3: mergeCombo }

/** Splits collateral of `holder`, possibly one of the older exchanges, into both outcomes. */
export const split: PositionLogs = (positions, holder, amount) =>
  splits[positions.exchange.generation](positions, holder, amount)

/** Merges both outcomes of `holder` into collateral. */
export const merge: PositionLogs = (positions, holder, amount) =>
  merges[positions.exchange.generation](positions, holder, amount)
