import { assert } from "@effect/vitest"
import { address, type Exchange, exchangeOf, topic } from "#src/simulator/chain/contracts.ts"
import type { Log } from "#src/simulator/chain/LogEncoder.ts"
import type { FilledOrder, Match } from "#src/simulator/chain/logs/match/orders.ts"
import type { Positions } from "#src/simulator/chain/logs/positions.ts"
import type { TokenPair } from "#src/simulator/chain/logs/transfers.ts"
import { makeWorld } from "#src/simulator/world/makeWorld.ts"
import { type IdScheme, Market, Token } from "#src/simulator/world/Venue.ts"
import { type RecordedMarket, type RecordedScenario, scenarios } from "../explain/scenarios.ts"

const optimisticOracle = "0xee3afe347d5c74317041e2618c49534daf887c24"
const umaNegRiskAdapter = "0x69c47de9d4d3dad79590d61b9e05918e03775f24"

/** Logs of the real contracts that the simulated ones do not write, and why. */
const leftOut: ReadonlyArray<readonly [why: string, (log: Log) => boolean]> = [
  [
    "the recorded USDC.e is a stand-in, and when the real one logs allowances is unknown",
    (log) => log.address === address.usdce && log.topics[0] === topic.approval,
  ],
  [
    "requests, proposals and bonds are not simulated: an oracle answers at once",
    ({ address: from, topics }) =>
      from === optimisticOracle ||
      (from === address.usdce && topics[1] === `0x${optimisticOracle.slice(2).padStart(64, "0")}`),
  ],
  [
    "neg-risk questions have no oracle of their own, and nobody reads the logs of their operator",
    (log) => log.address === umaNegRiskAdapter || log.address === address.negRiskOperator,
  ],
]

export const scenarioOf = (id: string): RecordedScenario => {
  const found = scenarios.find((scenario) => scenario.id === id)
  assert.isDefined(found, id)
  return found as RecordedScenario
}

const wordsOf = (data: string): ReadonlyArray<string> => data.slice(2).match(/.{64}/g) ?? []

/** Recorded orders may carry metadata, simulated ones never do. */
const withoutMetadata = (log: Log): Log =>
  log.topics[0] === topic.orderFilled2 ? { ...log, data: log.data.slice(0, -64) + "0".repeat(64) } : log

const isBurn = ({ topics }: Log) => topics[0] === topic.transferSingle && topics[3] === `0x${"0".repeat(64)}`

/** The combo module burns both outcomes in one batch. */
const burnTogether = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> =>
  logs.flatMap((log, i): ReadonlyArray<Log> => {
    const [before, after] = [logs[i - 1], logs[i + 1]]
    if (!isBurn(log)) return [log]
    if (before !== undefined && isBurn(before)) return []
    if (after === undefined || !isBurn(after)) return [log]
    const [[yes, amount], [no]] = [log, after].map(({ data }) => wordsOf(data)) as [[string, string], [string]]
    const number = (value: number) => value.toString(16).padStart(64, "0")
    const tokens = number(2) + [yes, no].sort().join("")
    const data = `0x${number(64)}${number(160)}${tokens}${number(2)}${amount}${amount}`
    return [{ ...log, topics: [topic.transferBatch, ...log.topics.slice(1)], data }]
  })

/** The logs of each transaction of a scenario that the simulated contracts write too. */
export const recordedTransactions = ({ transactions }: RecordedScenario): ReadonlyArray<ReadonlyArray<Log>> =>
  transactions.map(({ logs }) =>
    logs
      .map(({ address: from, topics, data }) => withoutMetadata({ address: from, topics, data }))
      .filter((log) => !leftOut.some(([, isLeftOut]) => isLeftOut(log))),
  )

export const recordedLogs = (scenario: RecordedScenario): ReadonlyArray<Log> => recordedTransactions(scenario).flat()

/** Only combos are simulated of Protocol V2; its other modules work the same way, except for the burns of a merge. */
export const asComboLogs = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> =>
  burnTogether(JSON.parse(JSON.stringify(logs).replaceAll(address.binaryModule.slice(2), address.comboModule.slice(2))))

const combos = { generation: 3, negRisk: false } as const

const genesis = 1_794_700_800_000
const { world } = makeWorld({ seed: 5, genesis, scale: "brief" })
world.advanceTo(genesis)

const hexOf = (decimal: string) => BigInt(decimal).toString(16).padStart(64, "0")

/** Contracts that settle a market; `binary` are those of Protocol V2 for markets that are no combos. */
export type MarketKind = Pick<Exchange, "generation" | "negRisk"> & { readonly binary?: true }

/** A simulated market of a kind, with the ids of a recorded one. */
export const positionsOf = (recorded: RecordedMarket, kind: MarketKind, questionIndex = 0): Positions => {
  const model = world.venue.markets.find(
    ({ legs, event }) => (legs !== undefined) === (kind.generation === 3) && event.plan.negRisk === kind.negRisk,
  )
  assert.isDefined(model)
  const ids: IdScheme = {
    questionId: () => recorded.questionId ?? "0x",
    negRiskMarketId: () => recorded.marketId ?? "0x",
    conditionId: () => recorded.conditionId,
    tokenHex: ({ outcome }) => hexOf(recorded.tokens[outcome]),
  }
  const { index } = model as Market
  const rule = kind.binary ? ({ kind: "migrated" } as const) : (model as Market).plan.rule
  const plan = { ...(model as Market).plan, rule }
  // Recorded combos have two legs that were part of no older contract.
  const legs = model?.legs
    ?.filter(({ market }) => !kind.binary || !market.event.plan.negRisk)
    .slice(0, 2)
    .map((leg) => ({ ...leg, isFirstUse: false }))
  const event = { ...(model as Market).event, negRiskMarketId: recorded.marketId }
  const market = new Market({ index, event, plan, tokens: [0, 1], questionIndex, legs, ids })
  const tokens: TokenPair = [new Token(0, market, 0, ids), new Token(1, market, 1, ids)]
  return { market, exchange: exchangeOf(market, kind.generation === 2), tokens }
}

/** The market that a scenario moves tokens of. */
export const marketOf = ({ id, about, transactions }: RecordedScenario): RecordedMarket => {
  const markets = [
    ...(about.market === undefined ? [] : [about.market]),
    ...(about.markets ?? []),
    ...(about.questions ?? []),
  ]
  const text = JSON.stringify(transactions.map(({ logs }) => logs))
  const market = markets.find(({ conditionId, tokens }) =>
    [conditionId.slice(2), ...tokens.map(hexOf)].some((part) => text.includes(part)),
  )
  assert.isDefined(market, id)
  return market as RecordedMarket
}

const addressIn = (word = "") => `0x${word.slice(-40)}`
const amount = (word = "") => Number.parseInt(word, 16)

const isFilled = ({ topics }: Log) => topics[0] === topic.orderFilled1 || topics[0] === topic.orderFilled2

/** The order that a log reports as filled. */
const orderIn = (log: Log, [yes, no]: TokenPair, logs: ReadonlyArray<Log>): FilledOrder => {
  const [, hash = "", wallet] = log.topics
  const isFirst = log.topics[0] === topic.orderFilled1
  const [first = "", second = "", given, taken, fee, builder = "0".repeat(64)] = wordsOf(log.data)
  const buys = amount(first) === 0
  const token = isFirst && !buys ? first : second
  const refunded = logs.find(({ topics }) => topics[0] === topic.feeRefunded && topics[1] === hash)
  return {
    hash,
    wallet: addressIn(wallet),
    token: token === yes.hex ? yes : no,
    buys,
    usd: amount(buys ? given : taken),
    shares: amount(buys ? taken : given),
    fee: amount(fee),
    refund: refunded === undefined ? 0 : amount(wordsOf(refunded.data)[1]),
    builder,
  }
}

/** The match that a transaction settled, as its fills tell it. */
export const matchIn = (logs: ReadonlyArray<Log>, positions: Positions): Match => {
  const fills = logs.filter(isFilled)
  const orders = fills.map((log) => orderIn(log, positions.tokens, logs))
  assert.strictEqual(addressIn(fills.at(-1)?.topics[3]), positions.exchange.address)
  return { positions, taker: orders.at(-1) as FilledOrder, makers: orders.slice(0, -1) }
}

/** How the balances of the only wallet in a scenario changed. */
export const changesOf = ({ changes, id }: RecordedScenario) => {
  const [account] = changes.filter(({ kind }) => kind === "wallet")
  assert.isDefined(account, id)
  const { address: wallet, tokens = {}, collateral = {} } = account as NonNullable<typeof account>
  const sharesOf = (market: RecordedMarket) =>
    market.tokens.map((token) => Number(tokens[token]?.change ?? 0)) as [number, number]
  const usd = Object.values(collateral).reduce((sum, { change }) => sum + Number(change), 0)
  return { wallet, sharesOf, usd }
}

/**
 * What a wallet gave to the module and what it got, by the moves of a recorded change. New combos are prepared with the legs
 * of some simulated combo, so their legs are left out of the comparison.
 */
export const comboStepIn = (logs: ReadonlyArray<Log>, positions: Positions) => {
  const prepared = new Map(
    logs.flatMap(({ topics }) => {
      const [kind, conditionId = ""] = topics
      if (kind !== topic.comboPrepared) return []
      return [[conditionId, positionsOf({ conditionId, tokens: ["0", "0"] }, combos).market] as const]
    }),
  )
  const tokenOf = (hex: string): Token => {
    const conditionId = `0x${hex.slice(0, 62)}00`
    const market = prepared.get(conditionId) ?? ({ conditionId } as Market)
    return { hex, market } as Token
  }
  const movedBy = (isMove: (log: Log) => boolean) =>
    logs
      .filter((log) => log.topics[0] === topic.transferSingle && isMove(log))
      .map(({ data }) => {
        const [hex = "", shares] = wordsOf(data)
        return { token: tokenOf(hex), shares: amount(shares) }
      })
  const given = movedBy(({ topics }) => addressIn(topics[1]) === address.router)
  const received = movedBy(({ topics }) => addressIn(topics[2]) === address.zero)
  const step = {
    positions,
    given: given.map(({ token }) => token),
    received: received.map(({ token }) => token),
    prepared: [...prepared.values()],
    amount: given[0]?.shares ?? 0,
    created: received[0]?.shares ?? 0,
  }
  const withoutLegs = (log: Log): Log => (log.topics[0] === topic.comboPrepared ? { ...log, data: "0x" } : log)
  return { step, withoutLegs }
}
