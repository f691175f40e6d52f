import { Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Fragment } from "effect/unstable/sql/Statement"
import { feeInSharesSql } from "#src/dictionary/factSql.ts"
import { type Amount, shares, usdc } from "#src/domain/amounts.ts"
import type { Moment, PositionFact } from "#src/domain/Fact.ts"
import type { TokensOf } from "./positions/applyFacts.ts"

interface MomentRow {
  readonly block: number
  readonly log_index: number
  readonly at: Date
}

const momentOf = ({ block, log_index, at }: MomentRow): Moment => ({ block, logIndex: log_index, at: at.getTime() })

/** The facts of consecutive blocks. */
export interface FactPart {
  readonly first: number
  readonly last: number
  readonly facts: ReadonlyArray<PositionFact<number>>
}

const factsPerPart = 20_000
const firstWidth = 1_000
const maxWidth = 50_000

/** Tables of facts that move positions. */
export type MovingTable =
  | "fill"
  | "split"
  | "merge"
  | "redemption"
  | "conversion"
  | "transfer"
  | "fee_refund"
  | "stock_change"
  | "resolution"

/** What follows the name of a table in a query of some of its rows. Rows with a `sub` must be ordered by it within a log. */
export type Choice = (table: MovingTable) => Fragment

/** Reads chosen rows of one kind as facts. */
type Reader = (
  sql: SqlClient,
  chosen: Choice,
  tokensOf: TokensOf,
) => Effect.Effect<ReadonlyArray<PositionFact<number>>, SqlError>

const numbersIn = (list: string) => (list === "" ? [] : list.split(",").map(Number))

const readers: ReadonlyArray<Reader> = [
  (sql, chosen) =>
    Effect.map(
      sql<
        Omit<MomentRow, "at"> & {
          at: number
          maker: number
          is_sale: boolean
          token: number
          shares: bigint
          usd: bigint
          fee: bigint
          fee_in_shares: boolean
        }
      >`select block, log_index, at, maker, is_sale, token, shares, usd, fee,
          ${sql.literal(feeInSharesSql("fill"))} as fee_in_shares
        from fill ${chosen("fill")}`,
      (rows) =>
        rows.map((row) => ({
          block: row.block,
          logIndex: row.log_index,
          at: row.at * 1000,
          kind: "fill",
          maker: row.maker,
          side: row.is_sale ? "sell" : "buy",
          token: row.token,
          shares: shares(Number(row.shares)),
          usd: usdc(Number(row.usd)),
          fee: Number(row.fee) as Amount,
          feeInShares: row.fee_in_shares,
        })),
    ),
  (sql, chosen, tokensOf) =>
    Effect.map(
      sql<MomentRow & { kind: "split" | "merge"; wallet: number; condition: number; amount: bigint }>`
        (select 'split' as kind, block, log_index, at, wallet, condition, amount from split ${chosen("split")})
        union all
        (select 'merge', block, log_index, at, wallet, condition, amount from merge ${chosen("merge")})`,
      (rows) =>
        rows.flatMap((row) => {
          const [first, second] = tokensOf(row.condition)
          if (first === undefined || second === undefined) return []
          const { kind, wallet, amount } = row
          return { ...momentOf(row), kind, wallet, tokens: [first, second] as const, amount: shares(Number(amount)) }
        }),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { wallet: number; tokens: string; shares: string; payout: bigint }>`
        select block, log_index, at, wallet, array_to_string(tokens, ',') as tokens,
          array_to_string(shares, ',') as shares, payout from redemption ${chosen("redemption")}`,
      (rows) =>
        rows.map((row) => {
          const counts = row.shares.split(",")
          const redeemed = numbersIn(row.tokens).map((token, i) => ({ token, shares: shares(Number(counts[i])) }))
          const payout = usdc(Number(row.payout))
          return { ...momentOf(row), kind: "redemption", wallet: row.wallet, redeemed, payout }
        }),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { wallet: number; nos: string; yeses: string; amount: bigint; received: bigint; paid: bigint }>`
        select block, log_index, at, wallet, array_to_string(nos, ',') as nos, array_to_string(yeses, ',') as yeses,
          amount, received, paid from conversion ${chosen("conversion")}`,
      (rows) =>
        rows.map((row) => ({
          ...momentOf(row),
          kind: "conversion",
          wallet: row.wallet,
          nos: numbersIn(row.nos),
          yeses: numbersIn(row.yeses),
          amount: shares(Number(row.amount)),
          received: shares(Number(row.received)),
          paid: usdc(Number(row.paid)),
        })),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { sender: number; receiver: number; token: number; shares: bigint }>`
        select block, log_index, at, sender, receiver, token, shares from transfer ${chosen("transfer")}`,
      (rows) =>
        rows.map((row) => {
          const { sender, receiver, token } = row
          return { ...momentOf(row), kind: "transfer", sender, receiver, token, shares: shares(Number(row.shares)) }
        }),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { wallet: number; token: number; in_shares: boolean; amount: bigint }>`
        select block, log_index, at, wallet, token, in_shares, amount from fee_refund ${chosen("fee_refund")}`,
      (rows) =>
        rows.map((row) => {
          const { wallet, token, in_shares: inShares, amount } = row
          return { ...momentOf(row), kind: "fee_refund", wallet, token, inShares, amount: Number(amount) as Amount }
        }),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { wallet: number; token: number; shares: bigint; paid: bigint }>`
        select block, log_index, at, wallet, token, shares, paid from stock_change ${chosen("stock_change")}`,
      (rows) =>
        rows.map((row) => {
          const { wallet, token } = row
          const moved = { shares: shares(Number(row.shares)), paid: usdc(Number(row.paid)) }
          return { ...momentOf(row), kind: "stock_change", wallet, token, ...moved }
        }),
    ),
  (sql, chosen) =>
    Effect.map(
      sql<MomentRow & { condition: number; payouts: string }>`
        select block, log_index, at, condition, array_to_string(payouts, ',') as payouts from resolution ${chosen("resolution")}`,
      (rows) =>
        rows.map((row) => ({
          ...momentOf(row),
          kind: "resolution",
          condition: row.condition,
          payouts: numbersIn(row.payouts),
        })),
    ),
]

const inChainOrder = (a: Moment, b: Moment) => a.block - b.block || a.logIndex - b.logIndex

/** Reads some facts that move positions, in chain order. */
export const readChosenFacts = (sql: SqlClient, tokensOf: TokensOf, chosen: Choice) =>
  Effect.map(
    Effect.forEach(readers, (reader) => reader(sql, chosen, tokensOf)),
    (read): ReadonlyArray<PositionFact<number>> => read.flat().sort(inChainOrder),
  )

/** Tables with several facts per log. */
export const withSub: ReadonlySet<MovingTable> = new Set(["transfer", "stock_change", "resolution"])

/** Reads all facts that move positions, in chain order and in parts of about the same size. */
export const readFacts = (
  sql: SqlClient,
  tokensOf: TokensOf,
  first: number,
  last: number,
): Stream.Stream<FactPart, SqlError> =>
  first > last
    ? Stream.empty
    : Stream.paginate({ from: first, width: firstWidth }, ({ from, width }) =>
        Effect.gen(function* () {
          const to = Math.min(last, from + width - 1)
          const facts = yield* readChosenFacts(
            sql,
            tokensOf,
            (table) => sql`where block between ${from} and ${to} ${withSub.has(table) ? sql`order by sub` : sql``}`,
          )
          const fitting = Math.floor((width * factsPerPart) / Math.max(1, facts.length))
          const next = { from: to + 1, width: Math.max(1, Math.min(fitting, 2 * width, maxWidth)) }
          return [[{ first: from, last: to, facts }], to < last ? Option.some(next) : Option.none()] as const
        }),
      )
