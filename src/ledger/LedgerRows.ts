import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import type * as model from "#src/domain/Fact.ts"
import { type BulkColumns, bulkInsertTogether } from "#src/platform/sql/bulkInsert.ts"
import { charges, refunds } from "./feeRows.ts"
import type { Numbers } from "./numbered.ts"
import { again, byKind, bytes, type FactsByKind, placeColumns } from "./placeRows.ts"

const fills: BulkColumns<model.Fill, Numbers> = {
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
}

const pairs = (table: "split" | "merge"): BulkColumns<model.PairChange, Numbers> => ({
  table,
  columns: {
    ...placeColumns,
    wallet: ["int4", (pair, { wallet }) => wallet(pair.wallet)],
    condition: ["int4", (pair, { condition }) => condition(pair.condition)],
    amount: ["amount", (pair) => pair.amount],
  },
  suffix: again,
})

const transfers: BulkColumns<model.Transfer, Numbers> = {
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
}

const flows: BulkColumns<model.CollateralFlow, Numbers> = {
  table: "collateral_flow",
  columns: {
    ...placeColumns,
    wallet: ["int4", (flow, { wallet }) => wallet(flow.wallet)],
    amount: ["amount", ({ amount }) => amount],
  },
  suffix: again,
}

const redemptions: BulkColumns<model.Redemption, Numbers> = {
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
}

const conversions: BulkColumns<model.Conversion, Numbers> = {
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
}

const resolutions: BulkColumns<model.Resolution, Numbers> = {
  table: "resolution",
  columns: {
    ...placeColumns,
    condition: ["int4", (resolution, { condition }) => condition(resolution.condition)],
    payouts: ["int8[]", ({ payouts }) => payouts],
  },
  suffix: again,
}

/** Legs one after the other: most are tokens that nobody trades by themselves, so they have no numbers. */
const combos: BulkColumns<model.Combo, Numbers> = {
  table: "combo",
  columns: {
    ...placeColumns,
    condition: ["int4", (combo, { condition }) => condition(combo.condition)],
    legs: ["bytea", ({ legs }) => bytes(legs.join(""))],
  },
  suffix: again,
}

const renames: BulkColumns<model.ConditionRename, Numbers> = {
  table: "condition_rename",
  columns: {
    ...placeColumns,
    condition: ["int4", (rename, { condition }) => condition(rename.condition)],
    legacy: ["int4", ({ legacy }, { condition }) => condition(legacy)],
  },
  suffix: again,
}

const insert = bulkInsertTogether<FactsByKind, Numbers>({
  fill: fills,
  split: pairs("split"),
  merge: pairs("merge"),
  transfer: transfers,
  fee_charge: charges,
  fee_refund: refunds,
  collateral_flow: flows,
  redemption: redemptions,
  conversion: conversions,
  resolution: resolutions,
  combo: combos,
  condition_rename: renames,
})

/**
 * Writes facts as rows. Whatever is there already stays as it is, but for fills: there are so many that it counts not to
 * look, and whoever writes has none that are there, for the cursor moves with them.
 */
export const insertFacts = (sql: SqlClient, facts: ReadonlyArray<model.Fact>, numbers: Numbers) =>
  insert(sql, byKind(facts), numbers)

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
