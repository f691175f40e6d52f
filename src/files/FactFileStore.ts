import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { exchangeOf } from "#src/dictionary/exchangeCodes.ts"
import { feeInSharesSql, transactionSql } from "#src/dictionary/factSql.ts"
import { moduleOperations } from "#src/domain/ComboKind.ts"
import type { FactKind } from "#src/domain/Fact.ts"
import { paymentPurposes } from "#src/ledger/factRows.ts"
import type { BlockRecord } from "#src/ledger/model.ts"
import { firstComboSub } from "#src/ledger/resolutions/derive.ts"
import type { CopyConnection } from "#src/platform/sql/copyConnection.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import type { TokenRecord } from "./fileColumns.ts"
import type { Names } from "./Names.ts"

type Row = Record<string, unknown>

const placeAt = (at: string) =>
  `block, log_index as "logIndex", ${at} as at, encode(${transactionSql("f")}, 'hex') as tx`
const place = placeAt("(extract(epoch from at) * 1000)::float8")
const pair = `${place}, wallet, condition, amount::float8`
const fee = `${place}, token, in_shares as "inShares", amount::float8, encode(order_hash, 'hex') as "orderHash"`
const list = (column: string, name = column) => `array_to_string(${column}, ',') as ${name}`

/** The properties of each fact as columns; ids are replaced by names afterwards. */
const selected: Readonly<Record<FactKind, string>> = {
  fill: `${placeAt("1000::float8 * at")}, exchange, encode(order_hash, 'hex') as "orderHash", maker,
    nullif(taker, 0) as taker, is_sale, token, shares::float8, usd::float8, fee::float8,
    ${feeInSharesSql("f")} as "feeInShares", nullif(builder, 0) as builder`,
  split: pair,
  merge: pair,
  redemption: `${place}, wallet, condition, ${list("tokens")}, ${list("shares")}, payout::float8`,
  conversion: `${place}, wallet, encode(neg_risk_market, 'hex') as "negRiskMarket", ${list("questions")}, ${list("nos")},
    ${list("yeses")}, amount::float8, received::float8, paid::float8, operation`,
  transfer: `${place}, sub, sender, receiver, token, shares::float8`,
  fee_charge: `${fee}, receiver, usd::float8`,
  fee_refund: `${fee}, wallet`,
  stock_change: `${place}, sub, wallet, token, shares::float8, paid::float8`,
  collateral_flow: `${place}, wallet, amount::float8`,
  maker_payment: `${place}, wallet, purpose, amount::float8`,
  // Results of combos are numbered by ids of this ledger.
  resolution: `${place}, least(sub, ${firstComboSub}) as sub, condition, ${list("payouts")}`,
  combo: `${place}, condition, encode(legs, 'hex') as legs`,
  condition_rename: `${place}, condition, legacy`,
}

const withSub: ReadonlySet<FactKind> = new Set(["transfer", "stock_change", "resolution"])

const numbersIn = (text: unknown) => (text === "" ? [] : String(text).split(",").map(Number))
const legsIn = (hex: unknown) => String(hex).match(/.{64}/g) ?? []

/** What else differs between the columns and the fact. */
const completed = (kind: FactKind, row: Row, names: Names): Row => {
  switch (kind) {
    case "fill":
      return { ...row, exchange: exchangeOf(row["exchange"] as number), side: row["is_sale"] ? "sell" : "buy" }
    case "redemption": {
      const shares = numbersIn(row["shares"])
      const tokens = numbersIn(row["tokens"])
      return { ...row, redeemed: tokens.map((token, i) => ({ token: names.token.get(token), shares: shares[i] })) }
    }
    case "conversion":
      return {
        ...row,
        negRiskMarket: row["negRiskMarket"] ?? undefined,
        operation: moduleOperations[(row["operation"] as number | null) ?? -1],
        questions: numbersIn(row["questions"]),
        nos: numbersIn(row["nos"]).map(names.token.get),
        yeses: numbersIn(row["yeses"]).map(names.token.get),
      }
    case "resolution":
      return { ...row, payouts: numbersIn(row["payouts"]) }
    case "maker_payment":
      return { ...row, purpose: paymentPurposes[row["purpose"] as number] }
    case "combo":
      return { ...row, legs: legsIn(row["legs"]) }
    default:
      return row
  }
}

/** Columns with ids, by what they are ids of. */
const idColumns = {
  wallet: ["maker", "taker", "wallet", "sender", "receiver"],
  token: ["token"],
  condition: ["condition", "legacy"],
  builder: ["builder"],
} as const

const listedTokens = ({ tokens = "", nos = "", yeses = "" }: Row) => [tokens, nos, yeses].flatMap(numbersIn)

/** Reads the facts of one kind in chain order, with names instead of ids. */
export const readKind = Effect.fnUntraced(function* (sql: SqlClient, kind: FactKind, range: BlockRange, names: Names) {
  const order = sql.literal(withSub.has(kind) ? "block, log_index, sub" : "block, log_index")
  const rows = yield* sql<Row>`
    select ${sql.literal(selected[kind])} from ${sql(kind)} f
    where block between ${range.from} and ${range.to} order by ${order}`
  const first = rows[0]
  if (first === undefined) return []
  const named = (Object.keys(idColumns) as Array<keyof Names>).flatMap((of) =>
    idColumns[of].filter((column) => column in first).map((column) => ({ of, column })),
  )
  for (const of of Object.keys(idColumns) as Array<keyof Names>) {
    const ids = named.flatMap((each) => (each.of === of ? rows.map((row) => row[each.column] as number | null) : []))
    const lists = of === "token" ? rows.flatMap(listedTokens) : []
    yield* names[of].load(sql, [...ids, ...lists])
  }
  return rows.map((row): object => {
    const fact: Row = { kind, ...row }
    for (const { of, column } of named) {
      const id = row[column] as number | null
      fact[column] = id === null ? undefined : names[of].get(id)
    }
    return completed(kind, fact, names)
  })
})

interface BlockRow {
  readonly number: number
  readonly hash: string
  readonly at: number
  readonly logs: number
}

const blockColumns = `number, encode(hash, 'hex') as hash, (extract(epoch from at) * 1000)::float8 as at, logs`
const recordOf = (row: BlockRow): BlockRecord => ({ ...row, parent: undefined })

/** Blocks with logs, and `last`. */
export const readBlocks = (sql: SqlClient, { from, to }: BlockRange, last: number) =>
  Effect.map(
    sql<BlockRow>`
      select ${sql.literal(blockColumns)} from block
      where number between ${from} and ${to} and (logs > 0 or number = ${last}) order by number`,
    (rows) => rows.map(recordOf),
  )

/** The newest stored block up to `to`. */
export const lastBlock = (sql: SqlClient, to: number) =>
  Effect.map(
    sql<BlockRow>`
      select ${sql.literal(blockColumns)} from block where number <= ${to} order by number desc limit 1`,
    ([row]) => (row === undefined ? undefined : recordOf(row)),
  )

/** The last stored block before a time, by bisection; undefined if there is none. */
export const lastBlockBefore = Effect.fnUntraced(function* (sql: SqlClient, at: number, { from, to }: BlockRange) {
  let [low, high] = [from, to + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = yield* sql<{ number: number; at: Date }>`
      select number, at from block where number >= ${middle} and number <= ${to} order by number limit 1`
    if (row !== undefined && row.at.getTime() < at) low = row.number + 1
    else high = middle
  }
  const found = yield* lastBlock(sql, low - 1)
  return found === undefined || found.number < from ? undefined : found
})

/** Tokens whose condition is known, in the order of their ids. */
export const readTokens = (sql: SqlClient, after: number, limit: number) =>
  sql<TokenRecord & { readonly id: number }>`
    select t.id, encode(t.hash, 'hex') as token, encode(c.hash, 'hex') as condition, t.outcome
    from token t join condition c on c.id = t.condition where t.id > ${after} order by t.id limit ${limit}`

/** Creates a table for the tokens of files, until the transaction ends. */
export const stageTokens = ({ query }: CopyConnection) =>
  query(`create temporary table file_token (hash bytea, condition bytea, outcome int2) on commit drop`)

export const stageTokenRows = ({ bulk }: CopyConnection, tokens: ReadonlyArray<TokenRecord>) =>
  bulk.copy<TokenRecord, undefined>(
    "file_token",
    {
      hash: ["bytea", ({ token }) => Buffer.from(token, "hex")],
      condition: ["bytea", ({ condition }) => Buffer.from(condition, "hex")],
      outcome: ["int2", ({ outcome }) => outcome],
    },
    tokens,
    undefined,
  )

/** Returns the decimal id of a token that belongs to another condition than its file says; undefined if there is none. */
export const contradictedToken = ({ query }: CopyConnection) =>
  Effect.map(
    query<{ hash: string }>(`
      select encode(t.hash, 'hex') as hash from file_token f join token t using (hash) join condition c on c.id = t.condition
      where (c.hash, t.outcome) is distinct from (f.condition, f.outcome) limit 1`),
    ([row]) => (row === undefined ? undefined : BigInt(`0x${row.hash}`).toString()),
  )

/** Gives ids to all tokens of files and their conditions at once. In one order, as every process does, or they deadlock. */
export const saveTokens = Effect.fnUntraced(function* ({ query }: CopyConnection) {
  yield* query(`
    insert into condition (hash) select distinct condition from file_token f
    where not exists (select from condition c where c.hash = f.condition) order by 1 on conflict do nothing`)
  yield* query(`
    insert into token (hash, condition, outcome)
    select f.hash, c.id, f.outcome from file_token f join condition c on c.hash = f.condition
    where not exists (select from token t where t.hash = f.hash and t.condition is not null) order by 1
    on conflict (hash) do update set condition = excluded.condition, outcome = excluded.outcome`)
})

/** A transaction that commits only while the lease is held; false if it is not. */
export const holdsLease = ({ query }: CopyConnection, lease: { readonly name: string; readonly epoch: bigint }) =>
  Effect.map(
    query(`select 1 from lease where name = $1 and epoch = $2 for share`, [lease.name, lease.epoch.toString()]),
    (rows) => rows.length === 1,
  )

/** Prepares the tables for a part: a new ledger already has its last block, and a result may be reported again later. */
export const makeRoom = Effect.fnUntraced(function* ({ query }: CopyConnection, { from, to }: BlockRange) {
  // What a crash loses is imported again, because the first block of the facts is lost with it.
  yield* query("set local synchronous_commit = off")
  yield* query(`delete from block where number between $1 and $2`, [from, to])
})

export const dropRepeated = ({ query }: CopyConnection, conditions: ReadonlyArray<number>, after: number) =>
  query(`delete from resolution where condition = any($1::int4[]) and block > $2`, [conditions, after])

/** As `CoverageStore.moveFacts`, on this connection. Returns false if another writer has moved the first block. */
export const moveFacts = (
  { query }: CopyConnection,
  was: number,
  first: { readonly number: number; readonly at: number },
) =>
  Effect.map(
    query(`update ledger_coverage set facts_from = $1, facts_since = $2 where facts_from = $3 returning 1`, [
      first.number,
      new Date(first.at),
      was,
    ]),
    (rows) => rows.length === 1,
  )
