import { adapters, address } from "#src/upstream/chain/contracts.ts"
import type { TransferBatch, TransferSingle } from "#src/upstream/chain/events.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import type { DecodedFacts } from "../model.ts"
import { readPayment, readUnwrap, readWrap } from "./collateral.ts"
import { readMerge, readRedemption, readSplit } from "./conditions.ts"
import { readConversion } from "./conversions.ts"
import { intermediaries, relays } from "./intermediaries.ts"
import { readFeeCharge, readFeeRefund, readFeeWithdrawal, readFill } from "./matches.ts"
import { readMigration } from "./migrations.ts"
import { readModuleExchange, readModuleMerge, readModuleRedemption, readModuleSplit } from "./modules.ts"
import { readRemainingNo, readSyntheticYes } from "./negRiskEvents.ts"
import { initiatorsIn, readSequenceEnd } from "./sequences.ts"
import { Transaction } from "./Transaction.ts"

/** Tokens that a wallet sends to a contract by itself are lost, unless the contract passes them on or burns them. */
const isLost = ({ operator, to }: TransferSingle | TransferBatch) =>
  intermediaries.has(to) && !intermediaries.has(operator) && !relays.has(to) && to !== address.zero

/** Adapters only move tokens between wallets to settle a fill of the first neg-risk exchange. */
const readTransfer = (transaction: Transaction, event: TransferSingle | TransferBatch, index: number): void => {
  if (intermediaries.has(event.from) || adapters.has(event.operator)) return
  if (intermediaries.has(event.to) && !isLost(event)) return
  const { from: sender, to: receiver } = event
  const [tokens, amounts] =
    event._tag === "TransferBatch" ? [event.tokens, event.amounts] : [[event.token], [event.amount]]
  tokens.forEach((token, sub) => {
    const shares = amounts[sub]
    if (shares === undefined || shares <= 0) return
    transaction.add(index, { kind: "transfer", sub, sender, receiver, token, shares })
  })
}

/** `initiator` is the wallet for which the router executes an operation in a sequence. */
const readLog = (transaction: Transaction, { event }: ChainLog, index: number, initiator?: string): void => {
  switch (event._tag) {
    case "OrderFilled":
      readFill(transaction, event, index)
      break
    case "FeeCharged":
      readFeeCharge(transaction, event, index)
      break
    case "FeeRefunded":
      readFeeRefund(transaction, event, index)
      break
    case "FeeWithdrawn":
      readFeeWithdrawal(transaction, event, index)
      break
    case "CtfSplit":
      readSplit(transaction, event, index)
      break
    case "CtfMerge":
      readMerge(transaction, event, index)
      break
    case "CtfRedemption":
      readRedemption(transaction, event, index)
      break
    case "NegRiskConversion":
      readConversion(transaction, event, index)
      break
    case "TransferSingle":
    case "TransferBatch":
      readTransfer(transaction, event, index)
      break
    case "ModuleSplit":
      readModuleSplit(transaction, event, index, initiator)
      break
    case "ModuleMerge":
      readModuleMerge(transaction, event, index, initiator)
      break
    case "ModuleRedemption":
      readModuleRedemption(transaction, event, index, initiator)
      break
    case "ModuleExchange":
      readModuleExchange(transaction, event, index, initiator)
      break
    case "PositionMigrated":
      readMigration(transaction, event, index)
      break
    case "SequenceEnded":
      readSequenceEnd(transaction, event, index)
      break
    case "CollateralWrapped":
      readWrap(transaction, event, index)
      break
    case "CollateralUnwrapped":
      readUnwrap(transaction, event, index)
      break
    case "CollateralTransfer":
      readPayment(transaction, event, index)
      break
    case "ConditionResolution":
    case "ModuleResolution":
      transaction.add(index, { kind: "resolution", sub: 0, condition: event.condition, payouts: event.payouts })
      break
    case "RemainingConditionsNo":
      readRemainingNo(transaction, event, index)
      break
    case "SyntheticConditionYes":
      readSyntheticYes(transaction, event, index)
      break
    case "ComboPrepared":
      transaction.add(index, { kind: "combo", condition: event.condition, legs: event.legs })
      break
    case "MigrationRegistered":
      transaction.add(index, { kind: "condition_rename", condition: event.condition, legacy: event.legacy })
      break
    default:
      break
  }
}

/**
 * Interprets the logs of one transaction, in order. Relays between a wallet and its tokens are resolved to the wallet. Moves
 * by which an exchange settles a match are left out: the fills cover them.
 */
export const interpret = (logs: ReadonlyArray<ChainLog>): DecodedFacts => {
  const transaction = new Transaction(logs)
  const hasSequence = logs.some(({ event }) => event._tag === "SequenceEnded")
  const initiators = hasSequence ? initiatorsIn(transaction) : undefined
  logs.forEach((log, index) => {
    readLog(transaction, log, index, initiators?.get(index))
  })
  const { facts, pairs } = transaction
  return { facts, pairs }
}
