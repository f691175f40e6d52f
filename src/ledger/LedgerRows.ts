import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/bulkInsert.ts"
import { exchangeCode } from "./exchangeCodes.ts"
import { insertFees } from "./feeRows.ts"
import type { Fact } from "./model.ts"
import type { Numbers } from "./numbered.ts"
import { again, bytes, of, type PlaceRow, placeColumns, placeRow } from "./placeRows.ts"

interface FillRow extends PlaceRow {
  readonly order_hash: Buffer
  readonly maker: number
  readonly taker: number | null
  readonly exchange: number
  readonly side: number
  readonly token: number
  readonly shares: bigint
  readonly usd: bigint
  readonly fee: bigint
  readonly fee_in_shares: boolean
  readonly builder: number | null
}

const insertFills = bulkInsert<FillRow>({
  table: "fill",
  columns: {
    ...placeColumns,
    order_hash: "bytea",
    maker: "int4",
    taker: "int4",
    exchange: "int2",
    side: "int2",
    token: "int4",
    shares: "int8",
    usd: "int8",
    fee: "int8",
    fee_in_shares: "bool",
    builder: "int4",
  },
  suffix: again,
})

interface PairRow extends PlaceRow {
  readonly wallet: number
  readonly condition: number
  readonly amount: bigint
}

const insertPairs = (table: "split" | "merge") =>
  bulkInsert<PairRow>({
    table,
    columns: { ...placeColumns, wallet: "int4", condition: "int4", amount: "int8" },
    suffix: again,
  })
const insertSplits = insertPairs("split")
const insertMerges = insertPairs("merge")

const insertTransfers = bulkInsert<
  PlaceRow & { sub: number; sender: number; receiver: number; token: number; shares: bigint }
>({
  table: "transfer",
  columns: { ...placeColumns, sub: "int4", sender: "int4", receiver: "int4", token: "int4", shares: "int8" },
  suffix: again,
})

const insertFlows = bulkInsert<PlaceRow & { wallet: number; amount: bigint }>({
  table: "collateral_flow",
  columns: { ...placeColumns, wallet: "int4", amount: "int8" },
  suffix: again,
})

type Numbered = ReadonlyArray<number>

const insertRedemptions = bulkInsert<
  PlaceRow & { wallet: number; condition: number; tokens: Numbered; shares: Numbered; payout: bigint }
>({
  table: "redemption",
  columns: { ...placeColumns, wallet: "int4", condition: "int4", tokens: "int4[]", shares: "int8[]", payout: "int8" },
  suffix: again,
})

const insertConversions = bulkInsert<
  PlaceRow & {
    wallet: number
    neg_risk_market: Buffer
    questions: Numbered
    nos: Numbered
    yeses: Numbered
    amount: bigint
    paid: bigint
  }
>({
  table: "conversion",
  columns: {
    ...placeColumns,
    wallet: "int4",
    neg_risk_market: "bytea",
    questions: "int4[]",
    nos: "int4[]",
    yeses: "int4[]",
    amount: "int8",
    paid: "int8",
  },
  suffix: again,
})

const insertResolutions = bulkInsert<PlaceRow & { condition: number; payouts: Numbered }>({
  table: "resolution",
  columns: { ...placeColumns, condition: "int4", payouts: "int8[]" },
  suffix: again,
})

/** Legs one after the other: most are tokens that nobody trades by themselves, so they have no numbers. */
const insertCombos = bulkInsert<PlaceRow & { condition: number; legs: Buffer }>({
  table: "combo",
  columns: { ...placeColumns, condition: "int4", legs: "bytea" },
  suffix: again,
})

const insertRenames = bulkInsert<PlaceRow & { condition: number; legacy: number }>({
  table: "condition_rename",
  columns: { ...placeColumns, condition: "int4", legacy: "int4" },
  suffix: again,
})

/** Writes facts as rows. Whatever is there already stays as it is. */
export const insertFacts = Effect.fnUntraced(function* (sql: SqlClient, facts: ReadonlyArray<Fact>, numbers: Numbers) {
  const { wallet, token, condition, builder } = numbers
  yield* insertFills(
    sql,
    of(facts, "fill").map((fill) => ({
      ...placeRow(fill),
      order_hash: bytes(fill.orderHash),
      maker: wallet(fill.maker),
      taker: fill.taker === undefined ? null : wallet(fill.taker),
      exchange: exchangeCode(fill.exchange),
      side: fill.side === "buy" ? 0 : 1,
      token: token(fill.token),
      shares: BigInt(fill.shares),
      usd: BigInt(fill.usd),
      fee: BigInt(fill.fee),
      fee_in_shares: fill.feeInShares,
      builder: fill.builder === undefined ? null : builder(fill.builder),
    })),
  )
  const pairRow = (fact: Extract<Fact, { readonly kind: "split" | "merge" }>): PairRow => ({
    ...placeRow(fact),
    wallet: wallet(fact.wallet),
    condition: condition(fact.condition),
    amount: BigInt(fact.amount),
  })
  yield* insertSplits(sql, of(facts, "split").map(pairRow))
  yield* insertMerges(sql, of(facts, "merge").map(pairRow))
  yield* insertTransfers(
    sql,
    of(facts, "transfer").map((fact) => ({
      ...placeRow(fact),
      sub: fact.sub,
      sender: wallet(fact.sender),
      receiver: wallet(fact.receiver),
      token: token(fact.token),
      shares: BigInt(fact.shares),
    })),
  )
  yield* insertFees(sql, facts, numbers)
  yield* insertFlows(
    sql,
    of(facts, "collateral_flow").map((fact) => ({
      ...placeRow(fact),
      wallet: wallet(fact.wallet),
      amount: BigInt(fact.amount),
    })),
  )
  yield* insertRedemptions(
    sql,
    of(facts, "redemption").map((fact) => ({
      ...placeRow(fact),
      wallet: wallet(fact.wallet),
      condition: condition(fact.condition),
      tokens: fact.handedIn.map((each) => token(each.token)),
      shares: fact.handedIn.map((each) => each.shares),
      payout: BigInt(fact.payout),
    })),
  )
  yield* insertConversions(
    sql,
    of(facts, "conversion").map((fact) => ({
      ...placeRow(fact),
      wallet: wallet(fact.wallet),
      neg_risk_market: bytes(fact.negRiskMarket),
      questions: fact.questions,
      nos: fact.nos.map(token),
      yeses: fact.yeses.map(token),
      amount: BigInt(fact.amount),
      paid: BigInt(fact.paid),
    })),
  )
  yield* insertResolutions(
    sql,
    of(facts, "resolution").map((fact) => ({
      ...placeRow(fact),
      condition: condition(fact.condition),
      payouts: fact.payouts,
    })),
  )
  yield* insertCombos(
    sql,
    of(facts, "combo").map((fact) => ({
      ...placeRow(fact),
      condition: condition(fact.condition),
      legs: bytes(fact.legs.join("")),
    })),
  )
  yield* insertRenames(
    sql,
    of(facts, "condition_rename").map((fact) => ({
      ...placeRow(fact),
      condition: condition(fact.condition),
      legacy: condition(fact.legacy),
    })),
  )
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
