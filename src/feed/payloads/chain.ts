import { exactAmount } from "#src/domain/amounts.ts"
import type { BlockSummary } from "#src/ledger/model.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { secondsOf } from "../amounts.ts"
import type { Names } from "../Names.ts"
import type { FactRow, FlowRow } from "../rows.ts"

/** The chain position of an event. */
export const chainPosition = ({ tx, block, log_index, at }: FactRow) => ({
  tx_hash: `0x${tx}`,
  block_number: block,
  log_index,
  timestamp: secondsOf(at),
})

/** The venue's collateral is minted on deposit and burned on withdrawal. */
const zeroAddress = `0x${address.zero}`

export const depositPayload = (row: FlowRow, names: Names) => {
  const wallet = names.wallet(row.wallet)
  const isDeposit = row.amount >= 0n
  return {
    event_type: "deposit",
    ...chainPosition(row),
    from: isDeposit ? zeroAddress : wallet,
    to: isDeposit ? wallet : zeroAddress,
    amount: exactAmount(isDeposit ? row.amount : -row.amount),
    direction: isDeposit ? "deposit" : "withdrawal",
  }
}

/** A reorganisation as logged: blocks after the fork were replaced. */
export interface LoggedReorg {
  readonly fork_block: number
  readonly fork_hash: string
  /** Events with these seqs are retracted. */
  readonly retracted: ReadonlyArray<number>
}

export const reorgPayload = ({ fork_block, fork_hash, retracted }: LoggedReorg) => ({
  event_type: "reorg",
  fork_block,
  fork_hash,
  retracted,
})

export const blockPayload = (number: number, summary: BlockSummary) => ({
  event_type: "block",
  block_number: number,
  block_hash: `0x${summary.hash}`,
  parent_hash: `0x${summary.parent}`,
  timestamp: Math.floor(summary.at / 1000),
  tx_count: summary.transactions,
  polymarket_tx_count: summary.venueTransactions,
  settlement_count: summary.settlements,
  trade_volume_usd: exactAmount(summary.volume),
})
