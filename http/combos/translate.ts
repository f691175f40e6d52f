import { Effect } from "effect"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { ComboMarket } from "#src/combos/ComboMarketStore.ts"
import type {
  ComboEvent,
  ComboRedemption,
  ComboTrade,
  ListedCombo,
  ListedLeg,
  UnknownCombo,
} from "#src/combos/model.ts"
import type { ComboSummary } from "#src/combos/SummaryStore.ts"
import { decimalAmount, halfUp } from "#src/domain/amounts.ts"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import { hexOfToken } from "#src/domain/TokenId.ts"
import { outcomesOf } from "#src/feed/combos/positionId.ts"
import { winnerOf } from "#src/feed/payloads/resolution.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { ListedPosition } from "#src/positions/list/model.ts"
import type { PnlSums } from "#src/positions/sums/model.ts"
import { conflictingFilters } from "../input/conflictingFilters.ts"
import { shownWithType } from "../positions/list/translate.ts"
import { type BadInput, NotFound, type Unavailable, unavailable } from "../server/errors.ts"
import { shownLeg } from "./legs.ts"
import type * as shapes from "./shapes.ts"

const storeFailed = unavailable("combos")

export const refusal = (
  failure: UnknownCombo | ConflictingFilters | TxError,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  if (failure._tag === "UnknownCombo") {
    const hint = `There is no combo with the ${failure.parameter} "${failure.value.slice(0, 100)}". GET /v3/combos/markets lists combos.`
    return Effect.fail(new NotFound({ error: "Not found.", hint }))
  }
  if (failure._tag === "ConflictingFilters")
    return Effect.fail(conflictingFilters(failure.parameters, "Use one of them, or a token of that condition."))
  return storeFailed(failure)
}

const seconds = (at: Date) => String(Math.floor(at.getTime() / 1000))

/** YES wins if all legs win. */
const sideOf = (token: string): "YES" | "NO" => (hexOfToken(token).endsWith("00") ? "YES" : "NO")

const legsOf = (combo: ListedCombo | undefined) => (combo?.legs ?? []).map(shownLeg)

const placeOf = ({ tx, logIndex, block, at }: ComboEvent) => ({
  tx_hash: tx,
  log_index: logIndex,
  block_number: block,
  timestamp: at,
})

const isTransfer = ({ type }: ComboEvent) => type === "transfer_in" || type === "transfer_out"

/** Lists of everybody have a transfer once. */
const shownKind = (event: ComboEvent, isOfWallet: boolean): typeof shapes.Event.Type.event_kind => {
  if (event.type === "own_execution") return "execution"
  return isTransfer(event) && !isOfWallet ? "transfer" : event.type
}

/** Kinds whose amount is in dollars. */
const inDollars: ReadonlySet<string> = new Set(["execution", "own_execution"])

export const shownEvent =
  (isOfWallet: boolean) =>
  (event: ComboEvent): typeof shapes.Event.Type => {
    const isTrade = inDollars.has(event.type)
    return {
      id: `${event.tx}_${event.logIndex}${isTransfer(event) ? `_${event.sub}` : ""}`,
      position_type: "combo",
      event_kind: shownKind(event, isOfWallet),
      side: event.token === null ? null : sideOf(event.token),
      wallet_address: event.wallet,
      user_address: event.wallet,
      counterparty_address: event.other,
      combo_condition_id: event.condition,
      combo_position_id: event.token,
      market: event.combo?.title ?? null,
      amount_usdc: decimalAmount(isTrade ? event.usd : event.shares),
      shares: decimalAmount(event.shares),
      payout_usdc: isTrade || event.type === "split" || event.usd === 0n ? null : decimalAmount(event.usd),
      source_position_ids: event.given,
      destination_position_ids: event.received,
      ...placeOf(event),
      legs: legsOf(event.combo),
    }
  }

const priceOf = (usd: bigint, shares: bigint): bigint => (shares === 0n ? 0n : halfUp(1_000_000n * usd, shares))

export const shownTrade = (trade: ComboTrade): typeof shapes.Trade.Type => {
  const token = trade.token ?? ""
  return {
    id: `${trade.tx}_${trade.logIndex}`,
    position_type: "combo",
    wallet_role: trade.type === "own_execution" ? "taker" : "maker",
    wallet_address: trade.wallet ?? "",
    counterparty_address: trade.other ?? "",
    combo_condition_id: trade.condition,
    condition_id: trade.condition,
    position_id: token,
    outcome: sideOf(token),
    market: trade.combo?.title ?? null,
    side: trade.isSale ? "SELL" : "BUY",
    price: decimalAmount(priceOf(trade.usd, trade.shares)),
    size: decimalAmount(trade.shares),
    amount_usdc: decimalAmount(trade.usd),
    fee: decimalAmount(trade.fee),
    order_hash: trade.orderHash,
    ...placeOf(trade),
  }
}

const coverageOf = (legs: ReadonlyArray<ListedLeg>) => {
  const listed = legs.filter(({ market }) => market !== null).length
  if (listed === 0) return "none"
  return listed === legs.length ? "full" : "partial"
}

const remainingCombo = ({ remaining }: ComboRedemption): typeof shapes.Redemption.Type.remaining_combo =>
  remaining === undefined
    ? null
    : {
        combo_condition_id: `0x${conditionOfPosition(hexOfToken(remaining.token))}`,
        combo_position_id: remaining.token,
        shares_created: decimalAmount(remaining.created),
        current_wallet_balance: decimalAmount(remaining.balance),
        still_held: remaining.balance > 0n,
        status: remaining.isResolved ? "resolved" : "open",
      }

export const shownRedemption = (row: ComboRedemption): typeof shapes.Redemption.Type => {
  const isFull = row.type === "redeem"
  const rest = remainingCombo(row)
  const token = row.token ?? ""
  const all = row.combo?.legs ?? []
  const kept = new Set((isFull ? [] : (row.remaining?.combo?.legs ?? [])).map(({ position }) => position))
  // Legs keep their index in the combo that they come from.
  const legs = all.map(shownLeg)
  const remaining = legs.filter(({ leg_position_id }) => kept.has(leg_position_id))
  const removed = legs.filter(({ leg_position_id }) => !kept.has(leg_position_id))
  return {
    id: `${row.tx}_${row.logIndex}`,
    position_type: "combo",
    event_kind: isFull ? "redeem" : "compress",
    type: isFull ? "REDEEM" : "COMPRESS",
    side: sideOf(token),
    wallet_address: row.wallet ?? "",
    redemption_scope: isFull ? "full" : "partial",
    redemption_type: isFull ? "terminal" : "reduction",
    redemption_evidence: isFull ? "PositionRedeemed" : "Compressed",
    is_full_combo_redemption: isFull,
    is_partial_combo_redemption: !isFull,
    is_terminal_redemption: isFull,
    is_partial_combo_reduction: !isFull,
    has_collateral_payout: row.usd > 0n,
    combo_condition_id: row.condition,
    combo_position_id: token,
    full_combo_condition_id: row.condition,
    reduced_combo_condition_id: rest?.combo_condition_id ?? null,
    source_position_id: token,
    destination_position_id: rest?.combo_position_id ?? null,
    market: row.combo?.title ?? null,
    amount_usdc: decimalAmount(row.shares),
    position_amount_usdc: decimalAmount(row.shares),
    payout_usdc: decimalAmount(row.usd),
    collateral_out_usdc: decimalAmount(row.usd),
    source_leg_count: legs.length,
    removed_leg_count: removed.length,
    remaining_leg_count: remaining.length,
    leg_transition: `${legs.length}->${remaining.length}`,
    legs,
    full_legs: legs,
    source_legs: legs,
    removed_legs: removed,
    remaining_legs: remaining,
    remaining_combo: rest,
    metadata_coverage: coverageOf(all),
    ...placeOf(row),
  }
}

const winners = ["YES", "NO"] as const

export const shownMarket = (row: ComboMarket): typeof shapes.Market.Type => {
  const { yes, no } = outcomesOf(row.condition.slice(2))
  const winner = winnerOf(row.payouts)
  return {
    combo_condition_id: row.condition,
    yes_position_id: yes,
    no_position_id: no,
    module_name: "combinatorial",
    market: row.combo?.title ?? null,
    status: row.resolvedAt === null ? "open" : "resolved",
    winning_outcome: winner === null ? null : (winners[winner] ?? null),
    observed_execution_count: row.executions,
    observed_lifecycle_count: row.lifecycle,
    observed_redeem_count: row.redemptions,
    observed_transfer_count: row.transfers,
    volume_usdc: decimalAmount(row.volume),
    created_at: seconds(row.preparedAt),
    last_activity_at: seconds(row.lastAt),
    resolved_at: row.resolvedAt === null ? null : seconds(row.resolvedAt),
    legs_total: row.combo?.legs.length ?? 0,
    legs: legsOf(row.combo),
  }
}

/** A position of a list with combos, with the state of its legs. */
export const shownPosition = (
  position: ListedPosition,
  combo: ListedCombo | undefined,
): typeof shapes.Position.Type => ({
  ...shownWithType(position),
  wallet_address: position.wallet,
  legs: legsOf(combo),
})

export const shownSummary = (wallet: string, sums: PnlSums, { balances, lastAt }: ComboSummary) => ({
  position_type: "combo",
  wallet_address: wallet,
  open_combo_count: sums.open,
  closed_combo_count: sums.positions - sums.open,
  balance_count: balances,
  realized_pnl_usdc: decimalAmount(sums.realized),
  unrealized_pnl_usdc: decimalAmount(sums.unrealized),
  total_pnl_usdc: decimalAmount(sums.realized + sums.unrealized),
  volume_usdc: decimalAmount(sums.volume),
  wins: sums.wins,
  losses: sums.losses,
  last_activity_at: lastAt === undefined ? null : seconds(lastAt),
})
