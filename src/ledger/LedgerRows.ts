import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsertFrom } from "#src/platform/bulkInsert.ts"
import { exchangeCode } from "./exchangeCodes.ts"
import { insertFees } from "./feeRows.ts"
import type * as model from "./model.ts"
import type { Numbers } from "./numbered.ts"
import { again, byKind, bytes, placeColumns } from "./placeRows.ts"

const insertFills = bulkInsertFrom<model.Fill, Numbers>({
  table: "fill",
  columns: {
    ...placeColumns,
    order_hash: ["bytea", (fill) => bytes(fill.orderHash)],
    maker: ["int4", (fill, { wallet }) => wallet(fill.maker)],
    taker: ["int4", ({ taker }, { wallet }) => (taker === undefined ? null : wallet(taker))],
    exchange: ["int2", (fill) => exchangeCode(fill.exchange)],
    side: ["int2", (fill) => (fill.side === "buy" ? 0 : 1)],
    token: ["int4", (fill, { token }) => token(fill.token)],
    shares: ["amount", (fill) => fill.shares],
    usd: ["amount", (fill) => fill.usd],
    fee: ["amount", (fill) => fill.fee],
    fee_in_shares: ["bool", (fill) => fill.feeInShares],
    builder: ["int4", (fill, { builder }) => (fill.builder === undefined ? null : builder(fill.builder))],
  },
})

const insertPairs = (table: "split" | "merge") =>
  bulkInsertFrom<model.PairChange, Numbers>({
    table,
    columns: {
      ...placeColumns,
      wallet: ["int4", (pair, { wallet }) => wallet(pair.wallet)],
      condition: ["int4", (pair, { condition }) => condition(pair.condition)],
      amount: ["amount", (pair) => pair.amount],
    },
    suffix: again,
  })
const insertSplits = insertPairs("split")
const insertMerges = insertPairs("merge")

const insertTransfers = bulkInsertFrom<model.Transfer, Numbers>({
  table: "transfer",
  columns: {
    ...placeColumns,
    sub: ["int4", ({ sub }) => sub],
    sender: ["int4", ({ sender }, { wallet }) => wallet(sender)],
    receiver: ["int4", ({ receiver }, { wallet }) => wallet(receiver)],
    token: ["int4", (transfer, { token }) => token(transfer.token)],
    shares: ["amount", ({ shares }) => shares],
  },
  suffix: again,
})

const insertFlows = bulkInsertFrom<model.CollateralFlow, Numbers>({
  table: "collateral_flow",
  columns: {
    ...placeColumns,
    wallet: ["int4", (flow, { wallet }) => wallet(flow.wallet)],
    amount: ["amount", ({ amount }) => amount],
  },
  suffix: again,
})

const insertRedemptions = bulkInsertFrom<model.Redemption, Numbers>({
  table: "redemption",
  columns: {
    ...placeColumns,
    wallet: ["int4", (redemption, { wallet }) => wallet(redemption.wallet)],
    condition: ["int4", (redemption, { condition }) => condition(redemption.condition)],
    tokens: ["int4[]", ({ handedIn }, { token }) => handedIn.map((each) => token(each.token))],
    shares: ["int8[]", ({ handedIn }) => handedIn.map(({ shares }) => shares)],
    payout: ["amount", ({ payout }) => payout],
  },
  suffix: again,
})

const insertConversions = bulkInsertFrom<model.Conversion, Numbers>({
  table: "conversion",
  columns: {
    ...placeColumns,
    wallet: ["int4", (conversion, { wallet }) => wallet(conversion.wallet)],
    neg_risk_market: ["bytea", ({ negRiskMarket }) => bytes(negRiskMarket)],
    questions: ["int4[]", ({ questions }) => questions],
    nos: ["int4[]", ({ nos }, { token }) => nos.map(token)],
    yeses: ["int4[]", ({ yeses }, { token }) => yeses.map(token)],
    amount: ["amount", ({ amount }) => amount],
    paid: ["amount", ({ paid }) => paid],
  },
  suffix: again,
})

const insertResolutions = bulkInsertFrom<model.Resolution, Numbers>({
  table: "resolution",
  columns: {
    ...placeColumns,
    condition: ["int4", (resolution, { condition }) => condition(resolution.condition)],
    payouts: ["int8[]", ({ payouts }) => payouts],
  },
  suffix: again,
})

/** Legs one after the other: most are tokens that nobody trades by themselves, so they have no numbers. */
const insertCombos = bulkInsertFrom<model.Combo, Numbers>({
  table: "combo",
  columns: {
    ...placeColumns,
    condition: ["int4", (combo, { condition }) => condition(combo.condition)],
    legs: ["bytea", ({ legs }) => bytes(legs.join(""))],
  },
  suffix: again,
})

const insertRenames = bulkInsertFrom<model.ConditionRename, Numbers>({
  table: "condition_rename",
  columns: {
    ...placeColumns,
    condition: ["int4", (rename, { condition }) => condition(rename.condition)],
    legacy: ["int4", ({ legacy }, { condition }) => condition(legacy)],
  },
  suffix: again,
})

/**
 * Writes facts as rows. Whatever is there already stays as it is, but for fills: there are so many that it counts not to
 * look, and whoever writes has none that are there, for the cursor moves with them.
 */
export const insertFacts = Effect.fnUntraced(function* (
  sql: SqlClient,
  facts: ReadonlyArray<model.Fact>,
  numbers: Numbers,
) {
  const those = byKind(facts)
  yield* insertFills(sql, those("fill"), numbers)
  yield* insertSplits(sql, those("split"), numbers)
  yield* insertMerges(sql, those("merge"), numbers)
  yield* insertTransfers(sql, those("transfer"), numbers)
  yield* insertFees(sql, those, numbers)
  yield* insertFlows(sql, those("collateral_flow"), numbers)
  yield* insertRedemptions(sql, those("redemption"), numbers)
  yield* insertConversions(sql, those("conversion"), numbers)
  yield* insertResolutions(sql, those("resolution"), numbers)
  yield* insertCombos(sql, those("combo"), numbers)
  yield* insertRenames(sql, those("condition_rename"), numbers)
})

/** A kind of fact is the name of its table, and of the events that tell of it. */
export const factKinds = [
  "fill",
  "split",
  "merge",
  "redemption",
  "conversion",
  "transfer",
  "fee_charge",
  "fee_refund",
  "collateral_flow",
  "resolution",
  "combo",
  "condition_rename",
] as const

/** Tables whose rows belong to a block. */
export const factTables = [...factKinds, "realized_event"] as const
