import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { comboCode, moduleOperations } from "#src/domain/ComboKind.ts"
import type * as model from "#src/domain/Fact.ts"
import type { Column } from "#src/platform/sql/bulkColumns.ts"
import { type BulkColumns, bulkInsertTogether } from "#src/platform/sql/bulkWrite.ts"
import { type ComboAct, comboActsOf } from "./comboActs.ts"
import type { IdLookup } from "./idLookup.ts"

/** The kind of a fact is also the name of its table and of its events. */
export const factKinds = [
  "fill",
  "split",
  "merge",
  "redemption",
  "conversion",
  "transfer",
  "fee_charge",
  "fee_refund",
  "stock_change",
  "collateral_flow",
  "maker_payment",
  "resolution",
  "combo",
  "condition_rename",
] as const

/** Tables whose rows belong to a block. */
export const factTables = [...factKinds, "realized_event", "combo_act"] as const

export const bytes = (hex: string) => Buffer.from(hex, "hex")

/** Columns that all facts have. */
const positionColumns = {
  block: ["int4", ({ block }) => block],
  log_index: ["int4", ({ logIndex }) => logIndex],
  at: ["timestamptz", ({ at }) => at],
} as const satisfies Readonly<Record<string, Column<model.ChainPosition>>>

const skipExisting = "on conflict do nothing"

const fills: BulkColumns<model.Fill, IdLookup> = {
  table: "fill",
  columns: {
    shares: ["amount", (fill) => fill.shares],
    usd: ["amount", (fill) => fill.usd],
    fee: ["amount", (fill) => fill.fee],
    block: ["int4", ({ block }) => block],
    log_index: ["int4", ({ logIndex }) => logIndex],
    at: ["int4", ({ at }) => at / 1000],
    maker: ["int4", (fill, { wallet }) => wallet(fill.maker)],
    taker: ["int4", ({ taker }, { wallet }) => (taker === undefined ? 0 : wallet(taker))],
    token: ["int4", (fill, { token }) => token(fill.token)],
    builder: ["int4", (fill, { builder }) => (fill.builder === undefined ? 0 : builder(fill.builder))],
    exchange: ["int2", (fill) => exchangeCode(fill.exchange)],
    is_sale: ["bool", (fill) => fill.side === "sell"],
    order_hash: ["hex", ({ orderHash }) => orderHash],
  },
}

const pairs = (table: "split" | "merge"): BulkColumns<model.PairChange, IdLookup> => ({
  table,
  columns: {
    ...positionColumns,
    wallet: ["int4", (pair, { wallet }) => wallet(pair.wallet)],
    condition: ["int4", (pair, { condition }) => condition(pair.condition)],
    amount: ["amount", (pair) => pair.amount],
  },
  suffix: skipExisting,
})

const transfers: BulkColumns<model.Transfer, IdLookup> = {
  table: "transfer",
  columns: {
    ...positionColumns,
    sub: ["int4", ({ sub }) => sub],
    sender: ["int4", ({ sender }, { wallet }) => wallet(sender)],
    receiver: ["int4", ({ receiver }, { wallet }) => wallet(receiver)],
    token: ["int4", (transfer, { token }) => token(transfer.token)],
    shares: ["amount", ({ shares }) => shares],
  },
  suffix: skipExisting,
}

const flows: BulkColumns<model.CollateralFlow, IdLookup> = {
  table: "collateral_flow",
  columns: {
    ...positionColumns,
    wallet: ["int4", (flow, { wallet }) => wallet(flow.wallet)],
    amount: ["amount", ({ amount }) => amount],
  },
  suffix: skipExisting,
}

/** Numbers of purposes in the table. */
export const paymentPurposes = ["reward", "rebate"] as const

const payments: BulkColumns<model.MakerPayment, IdLookup> = {
  table: "maker_payment",
  columns: {
    ...positionColumns,
    wallet: ["int4", (payment, { wallet }) => wallet(payment.wallet)],
    purpose: ["int2", ({ purpose }) => paymentPurposes.indexOf(purpose)],
    amount: ["amount", ({ amount }) => amount],
  },
  suffix: skipExisting,
}

const redemptions: BulkColumns<model.Redemption, IdLookup> = {
  table: "redemption",
  columns: {
    ...positionColumns,
    wallet: ["int4", (redemption, { wallet }) => wallet(redemption.wallet)],
    condition: ["int4", (redemption, { condition }) => condition(redemption.condition)],
    tokens: ["int4[]", ({ redeemed }, { token }) => redeemed.map((each) => token(each.token))],
    shares: ["int8[]", ({ redeemed }) => redeemed.map(({ shares }) => shares)],
    payout: ["amount", ({ payout }) => payout],
  },
  suffix: skipExisting,
}

const conversions: BulkColumns<model.Conversion, IdLookup> = {
  table: "conversion",
  columns: {
    ...positionColumns,
    wallet: ["int4", (conversion, { wallet }) => wallet(conversion.wallet)],
    operation: ["int2", ({ operation }) => (operation === undefined ? null : moduleOperations.indexOf(operation))],
    neg_risk_market: ["hex", ({ negRiskMarket }) => negRiskMarket ?? null],
    questions: ["int4[]", ({ questions }) => questions],
    nos: ["int4[]", ({ nos }, { token }) => nos.map(token)],
    yeses: ["int4[]", ({ yeses }, { token }) => yeses.map(token)],
    amount: ["amount", ({ amount }) => amount],
    received: ["amount", ({ received }) => received],
    paid: ["amount", ({ paid }) => paid],
  },
  suffix: skipExisting,
}

const resolutions: BulkColumns<model.Resolution, IdLookup> = {
  table: "resolution",
  columns: {
    ...positionColumns,
    sub: ["int4", ({ sub }) => sub],
    condition: ["int4", (resolution, { condition }) => condition(resolution.condition)],
    payouts: ["int8[]", ({ payouts }) => payouts],
  },
  suffix: skipExisting,
}

/** Legs are concatenated hashes: most of these tokens are never traded, so they have no ids. */
const combos: BulkColumns<model.Combo, IdLookup> = {
  table: "combo",
  columns: {
    ...positionColumns,
    condition: ["int4", (combo, { condition }) => condition(combo.condition)],
    legs: ["hex", ({ legs }) => legs.join("")],
  },
  suffix: skipExisting,
}

const renames: BulkColumns<model.ConditionRename, IdLookup> = {
  table: "condition_rename",
  columns: {
    ...positionColumns,
    condition: ["int4", (rename, { condition }) => condition(rename.condition)],
    legacy: ["int4", ({ legacy }, { condition }) => condition(legacy)],
  },
  suffix: skipExisting,
}

const feeColumns = {
  ...positionColumns,
  token: ["int4", (fee, { token }) => token(fee.token)],
  in_shares: ["bool", (fee) => fee.inShares],
  amount: ["amount", (fee) => fee.amount],
  order_hash: ["hex", ({ orderHash }) => orderHash],
} as const satisfies Readonly<Record<string, Column<model.FeeCharge | model.FeeRefund, IdLookup>>>

const feeCharges: BulkColumns<model.FeeCharge, IdLookup> = {
  table: "fee_charge",
  columns: {
    ...feeColumns,
    receiver: ["int4", (fee, { wallet }) => wallet(fee.receiver)],
    usd: ["amount", (fee) => fee.usd],
  },
  suffix: skipExisting,
}

const feeRefunds: BulkColumns<model.FeeRefund, IdLookup> = {
  table: "fee_refund",
  columns: { ...feeColumns, wallet: ["int4", (fee, { wallet }) => wallet(fee.wallet)] },
  suffix: skipExisting,
}

const stockChanges: BulkColumns<model.StockChange, IdLookup> = {
  table: "stock_change",
  columns: {
    ...positionColumns,
    sub: ["int4", ({ sub }) => sub],
    wallet: ["int4", (change, { wallet }) => wallet(change.wallet)],
    token: ["int4", (change, { token }) => token(change.token)],
    shares: ["amount", ({ shares }) => shares],
    paid: ["amount", ({ paid }) => paid],
  },
  suffix: skipExisting,
}

const comboActs: BulkColumns<ComboAct, IdLookup> = {
  table: "combo_act",
  columns: {
    block: ["int4", ({ block }) => block],
    log_index: ["int4", ({ logIndex }) => logIndex],
    sub: ["int4", ({ sub }) => sub],
    kind: ["int2", ({ kind }) => comboCode(kind)],
    is_main: ["bool", ({ isMain }) => isMain],
    at: ["timestamptz", ({ at }) => at],
    wallet: ["int4", (each, { wallet }) => (each.wallet === undefined ? 0 : wallet(each.wallet))],
    condition: ["int4", (each, { condition }) => condition(each.condition)],
    token: ["int4", (each, { token }) => (each.token === undefined ? 0 : token(each.token))],
    shares: ["amount", ({ shares }) => shares],
    is_out: ["bool", ({ isOut }) => isOut],
    usd: ["amount", ({ usd }) => usd],
  },
  suffix: skipExisting,
}

type FactsByKind = { readonly [K in model.FactKind]: Extract<model.Fact, { readonly kind: K }> }

type RowsByTable = FactsByKind & { readonly combo_act: ComboAct }

const insert = bulkInsertTogether<RowsByTable, IdLookup>({
  fill: fills,
  split: pairs("split"),
  merge: pairs("merge"),
  transfer: transfers,
  fee_charge: feeCharges,
  fee_refund: feeRefunds,
  stock_change: stockChanges,
  collateral_flow: flows,
  maker_payment: payments,
  redemption: redemptions,
  conversion: conversions,
  resolution: resolutions,
  combo: combos,
  condition_rename: renames,
  combo_act: comboActs,
})

type Rows = { readonly [K in keyof RowsByTable]: ReadonlyArray<RowsByTable[K]> }

const rowsOf = (facts: ReadonlyArray<model.Fact>) => {
  const groups = Object.fromEntries(Map.groupBy(facts, ({ kind }) => kind)) as Partial<Rows>
  const rows: Partial<Rows> = { ...groups, combo_act: comboActsOf(facts) }
  return <K extends keyof Rows>(table: K): Rows[K] => rows[table] ?? ([] as Rows[K])
}

/**
 * Inserts facts and skips existing ones. Fills must be new: they are too many to check, and the cursor, which moves with
 * them, ensures that they are.
 */
export const insertFacts = (sql: SqlClient, facts: ReadonlyArray<model.Fact>, ids: IdLookup) =>
  insert(sql, rowsOf(facts), ids)
