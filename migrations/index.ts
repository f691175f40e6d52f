import type { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import mesh from "./0001_mesh.ts"
import ledger from "./0002_ledger.ts"
import catalogue from "./0003_catalogue.ts"
import ticks from "./0004_ticks.ts"
import books from "./0005_books.ts"
import settlements from "./0006_settlements.ts"
import status from "./0007_status.ts"
import positionHolders from "./0008_position_holders.ts"
import deferredIndexes from "./0009_deferred_indexes.ts"
import ledgerUpkeep from "./0010_ledger_upkeep.ts"
import accounts from "./0011_accounts.ts"
import tickRevisions from "./0012_tick_revisions.ts"
import feed from "./0013_feed.ts"
import webhooks from "./0014_webhooks.ts"
import positionTotals from "./0015_position_totals.ts"
import leaderboards from "./0016_leaderboards.ts"
import copyPnl from "./0017_copy_pnl.ts"
import leaderboardLearnt from "./0018_leaderboard_learnt.ts"
import totals from "./0019_totals.ts"
import leaderboardRepricing from "./0020_leaderboard_repricing.ts"
import tokenChanges from "./0021_token_changes.ts"
import positionKeys from "./0022_position_keys.ts"
import newTokens from "./0023_new_tokens.ts"
import webhookSeeding from "./0024_webhook_seeding.ts"
import conversions from "./0025_conversions.ts"
import leaderboardOpen from "./0026_leaderboard_open.ts"
import receivedShares from "./0027_received_shares.ts"
import makerPayments from "./0028_maker_payments.ts"
import coverage from "./0029_coverage.ts"
import firstAnswers from "./0030_first_answers.ts"
import contractLogs from "./0031_contract_logs.ts"
import venueForms from "./0032_venue_forms.ts"
import compactFacts from "./0033_compact_facts.ts"
import retention from "./0034_retention.ts"
import blockTimes from "./0035_block_times.ts"
import partialBoards from "./0036_partial_boards.ts"
import nodeLimits from "./0037_node_limits.ts"
import rollups from "./0038_rollups.ts"
import feesPaid from "./0039_fees_paid.ts"
import positionPages from "./0040_position_pages.ts"
import realizedAmounts from "./0041_realized_amounts.ts"
import stockOfWallets from "./0042_stock_of_wallets.ts"
import walletDays from "./0043_wallet_days.ts"
import tokenBars from "./0044_token_bars.ts"
import marketStats from "./0045_market_stats.ts"
import search from "./0046_search.ts"
import bookRecords from "./0047_book_records.ts"
import builders from "./0048_builders.ts"
import combos from "./0049_combos.ts"
import unpricedTokens from "./0050_unpriced_tokens.ts"
import sports from "./0051_sports.ts"
import social from "./0052_social.ts"
import tokenLinks from "./0053_token_links.ts"
import approvals from "./0054_approvals.ts"
import operators from "./0055_operators.ts"
import keyUse from "./0056_key_use.ts"
import proPlan from "./0057_pro_plan.ts"
import webhookConfirmations from "./0058_webhook_confirmations.ts"
import comboTitles from "./0059_combo_titles.ts"
import keptIndexes from "./0060_kept_indexes.ts"
import comboLookups from "./0061_combo_lookups.ts"
import gainedPositions from "./0062_gained_positions.ts"

/** In order and without a gap: a number lower than the newest one applied would be passed over silently. */
export const migrations: Readonly<Record<string, Effect.Effect<void, unknown, SqlClient>>> = {
  "0001_mesh": mesh,
  "0002_ledger": ledger,
  "0003_catalogue": catalogue,
  "0004_ticks": ticks,
  "0005_books": books,
  "0006_settlements": settlements,
  "0007_status": status,
  "0008_position_holders": positionHolders,
  "0009_deferred_indexes": deferredIndexes,
  "0010_ledger_upkeep": ledgerUpkeep,
  "0011_accounts": accounts,
  "0012_tick_revisions": tickRevisions,
  "0013_feed": feed,
  "0014_webhooks": webhooks,
  "0015_position_totals": positionTotals,
  "0016_leaderboards": leaderboards,
  "0017_copy_pnl": copyPnl,
  "0018_leaderboard_learnt": leaderboardLearnt,
  "0019_totals": totals,
  "0020_leaderboard_repricing": leaderboardRepricing,
  "0021_token_changes": tokenChanges,
  "0022_position_keys": positionKeys,
  "0023_new_tokens": newTokens,
  "0024_webhook_seeding": webhookSeeding,
  "0025_conversions": conversions,
  "0026_leaderboard_open": leaderboardOpen,
  "0027_received_shares": receivedShares,
  "0028_maker_payments": makerPayments,
  "0029_coverage": coverage,
  "0030_first_answers": firstAnswers,
  "0031_contract_logs": contractLogs,
  "0032_venue_forms": venueForms,
  "0033_compact_facts": compactFacts,
  "0034_retention": retention,
  "0035_block_times": blockTimes,
  "0036_partial_boards": partialBoards,
  "0037_node_limits": nodeLimits,
  "0038_rollups": rollups,
  "0039_fees_paid": feesPaid,
  "0040_position_pages": positionPages,
  "0041_realized_amounts": realizedAmounts,
  "0042_stock_of_wallets": stockOfWallets,
  "0043_wallet_days": walletDays,
  "0044_token_bars": tokenBars,
  "0045_market_stats": marketStats,
  "0046_search": search,
  "0047_book_records": bookRecords,
  "0048_builders": builders,
  "0049_combos": combos,
  "0050_unpriced_tokens": unpricedTokens,
  "0051_sports": sports,
  "0052_social": social,
  "0053_token_links": tokenLinks,
  "0054_approvals": approvals,
  "0055_operators": operators,
  "0056_key_use": keyUse,
  "0057_pro_plan": proPlan,
  "0058_webhook_confirmations": webhookConfirmations,
  "0059_combo_titles": comboTitles,
  "0060_kept_indexes": keptIndexes,
  "0061_combo_lookups": comboLookups,
  "0062_gained_positions": gainedPositions,
}
