import type { ChainPosition, CollateralFlow, Fact } from "#src/domain/Fact.ts"
import { intermediaries } from "#src/ledger/interpret/intermediaries.ts"
import { interpret } from "#src/ledger/interpret/interpret.ts"
import { address, venueContracts } from "#src/upstream/chain/contracts.ts"
import { decodeLog } from "#src/upstream/chain/decode.ts"
import { isSettlement, isWanted } from "#src/upstream/chain/logFilters.ts"
import { isMachinery } from "#src/upstream/chain/machinery.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { applyFact, Changes } from "./changes.ts"
import type { Scenario, TransactionLogs } from "./scenario.ts"

/** Collateral that moved from wallet to wallet; the ledger does not follow such transfers. */
export interface CollateralMove extends ChainPosition {
  readonly kind: "collateral_transfer"
  readonly sender: string
  readonly receiver: string
  readonly asset: string
  readonly amount: number
}

/** USDC that became pUSD, or the reverse: the ledger follows only the pUSD. */
export interface Exchange extends ChainPosition {
  readonly kind: "deposit" | "withdrawal"
  readonly wallet: string
  /** Payer of a deposit, receiver of a withdrawal. */
  readonly counterparty: string
  readonly amount: number
}

export type ExplainedFact = Exclude<Fact, CollateralFlow> | CollateralMove | Exchange

export interface UnexplainedLog {
  readonly address: string
  readonly topic: string
  readonly logIndex: number
}

export interface Explanation {
  readonly facts: ReadonlyArray<ExplainedFact>
  readonly changes: Changes
  readonly unexplained: ReadonlyArray<UnexplainedLog>
}

type RawLog = TransactionLogs["logs"][number]

const quantity = (hex: string) => Number.parseInt(hex, 16)
const digits = (hex: string) => hex.slice(2).toLowerCase()

/** Numbered by its place, because numbers of the file may repeat. */
const decoded = (transaction: TransactionLogs, log: RawLog, place: number): ChainLog | undefined => {
  const event = decodeLog(log.address.toLowerCase(), log)
  if (event._tag === "DecodeFailure") return undefined
  const { hash, blockNumber, timestamp = "0x0" } = transaction
  return {
    block: quantity(blockNumber),
    blockHash: "",
    tx: digits(hash),
    txIndex: 0,
    logIndex: place,
    at: quantity(timestamp) * 1000,
    event,
  }
}

const positionOf = ({ block, logIndex, at, tx }: ChainLog): ChainPosition => ({ block, logIndex, at, tx })

/** Names the payer of wrapped USDC, or the receiver of unwrapped USDC. */
const explainFlow = (logs: ReadonlyArray<ChainLog>, flow: CollateralFlow): Exchange => {
  const { kind: _, wallet, amount, ...position } = flow
  const index = logs.findIndex(({ logIndex }) => logIndex === flow.logIndex)
  const event = logs[index]?.event
  if (event?._tag === "CollateralUnwrapped")
    return { ...position, kind: "withdrawal", wallet, counterparty: event.to, amount: -amount }
  const payment = logs
    .slice(0, index)
    .map((log) => log.event)
    .findLast((each) => each._tag === "CollateralTransfer" && each.asset !== address.pusd && each.to === address.pusd)
  const counterparty = payment?._tag === "CollateralTransfer" ? payment.from : wallet
  return { ...position, kind: "deposit", wallet, counterparty, amount }
}

const isContract = (account: string) => intermediaries.has(account) || venueContracts.has(account)

const collateralChanges = (logs: ReadonlyArray<ChainLog>): ReadonlyMap<string, number> => {
  const changes = new Map<string, number>()
  for (const { event } of logs) {
    if (event._tag !== "CollateralTransfer") continue
    const { from, to, amount } = event
    changes.set(from, (changes.get(from) ?? 0) - amount)
    changes.set(to, (changes.get(to) ?? 0) + amount)
  }
  return changes
}

/** Transfers of collateral between wallets that no fact accounts for. */
const plainTransfers = (logs: ReadonlyArray<ChainLog>, changes: Changes): ReadonlyArray<CollateralMove> => {
  const moves = logs.flatMap((log) => (log.event._tag === "CollateralTransfer" ? [{ log, event: log.event }] : []))
  const actual = collateralChanges(logs)
  const explained = new Map([...changes.byWallet].map(([wallet, { collateral }]) => [wallet, collateral]))
  /** Facts may already account for a transfer of a wallet that they concern. */
  const isMissing = (wallet: string, amount: number) => {
    const before = explained.get(wallet)
    if (before === undefined) return true
    const missing = (actual.get(wallet) ?? 0) - (changes.byWallet.get(wallet)?.collateral ?? 0)
    return amount < 0 ? missing <= amount : missing >= amount
  }
  return moves.flatMap(({ log, event }): ReadonlyArray<CollateralMove> => {
    const { from: sender, to: receiver, asset, amount } = event
    const isPlain = !intermediaries.has(sender) && !intermediaries.has(receiver) && sender !== address.pusd
    if (!isPlain || amount === 0 || !isMissing(sender, -amount) || !isMissing(receiver, amount)) return []
    changes.collateral(sender, -amount)
    changes.collateral(receiver, amount)
    return [{ ...positionOf(log), kind: "collateral_transfer", sender, receiver, asset, amount }]
  })
}

/** As they were emitted. Logs that were put together from several transactions, with equal numbers, stay as they are. */
const inOrder = (logs: ReadonlyArray<RawLog>): ReadonlyArray<RawLog> => {
  const numbers = new Set(logs.map(({ logIndex }) => quantity(logIndex)))
  return numbers.size < logs.length ? logs : logs.toSorted((a, b) => quantity(a.logIndex) - quantity(b.logIndex))
}

const explainTransaction = (transaction: TransactionLogs, changes: Changes): Omit<Explanation, "changes"> => {
  const all = inOrder(transaction.logs).map((raw, place) => ({ raw, log: decoded(transaction, raw, place) }))
  const logs = all.flatMap(({ log }) => (log === undefined ? [] : [log]))
  const requested = all.flatMap(({ raw, log }) =>
    log === undefined || !isWanted(raw) || isSettlement(raw.topics) ? [] : [log],
  )
  const { facts } = interpret(requested)
  const own = new Changes()
  const explained = facts.map((fact) => {
    applyFact(own, fact)
    if (fact.kind !== "collateral_flow") return fact
    const exchange = explainFlow(logs, fact)
    own.collateral(exchange.counterparty, -fact.amount)
    return exchange
  })
  const transfers = plainTransfers(logs, own)
  // Tokens as the ledger counts them, collateral from its own transfers: the ledger does not follow all collateral.
  const collateral = collateralChanges(logs)
  for (const wallet of new Set([...own.byWallet.keys(), ...collateral.keys()])) {
    if (isContract(wallet)) continue
    changes.collateral(wallet, collateral.get(wallet) ?? 0)
    for (const [token, shares] of own.of(wallet).tokens) changes.token(wallet, token, shares)
  }
  const unexplained = all.flatMap(({ raw, log }) =>
    log !== undefined || isMachinery(raw)
      ? []
      : [{ address: raw.address.toLowerCase(), topic: raw.topics[0] ?? "", logIndex: quantity(raw.logIndex) }],
  )
  const byLog = [...explained, ...transfers].sort((a, b) => a.logIndex - b.logIndex)
  const numberOf = (place: number) => quantity(all[place]?.raw.logIndex ?? "0x0")
  return { facts: byLog.map((fact) => ({ ...fact, logIndex: numberOf(fact.logIndex) })), unexplained }
}

/** What transactions did, as the ledger understands them. */
export const explain = ({ transactions }: Scenario): Explanation => {
  const changes = new Changes()
  const each = transactions.map((transaction) => explainTransaction(transaction, changes))
  return {
    facts: each.flatMap(({ facts }) => facts),
    changes,
    unexplained: each.flatMap(({ unexplained }) => unexplained),
  }
}
