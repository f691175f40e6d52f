import { Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Fact, Place } from "#src/domain/Fact.ts"
import type { Numbers } from "./numbered.ts"
import type { TokensOf } from "./positions/applyFacts.ts"

interface PlaceRow {
  readonly block: number
  readonly log_index: number
  readonly at: Date
}

const placeOf = ({ block, log_index, at }: PlaceRow): Place => ({
  block,
  logIndex: log_index,
  at: at.getTime(),
  tx: "",
})

/** Facts out of the ledger have numbers where those of the chain have names. */
export const asNumbers: Numbers = { wallet: Number, token: Number, condition: Number, builder: Number }

/** What happened in consecutive blocks. */
export interface FactPart {
  readonly first: number
  readonly last: number
  readonly facts: ReadonlyArray<Fact>
}

const factsWanted = 20_000
const firstWidth = 1_000
const mostBlocks = 50_000

/** Reads one kind of rows and makes facts of them. */
type Reader = (
  sql: SqlClient,
  from: number,
  to: number,
  tokensOf: TokensOf,
) => Effect.Effect<ReadonlyArray<Fact>, SqlError>

const readers: ReadonlyArray<Reader> = [
  (sql, from, to) =>
    Effect.map(
      sql<
        PlaceRow & {
          maker: number
          side: number
          token: number
          shares: bigint
          usd: bigint
          fee: bigint
          fee_in_shares: boolean
        }
      >`select block, log_index, at, maker, side, token, shares, usd, fee, fee_in_shares from fill
        where block between ${from} and ${to}`,
      (rows) =>
        rows.map((row) => ({
          ...placeOf(row),
          kind: "fill",
          exchange: "",
          orderHash: "",
          maker: String(row.maker),
          taker: undefined,
          side: row.side === 0 ? "buy" : "sell",
          token: String(row.token),
          shares: Number(row.shares),
          usd: Number(row.usd),
          fee: Number(row.fee),
          feeInShares: row.fee_in_shares,
          builder: undefined,
        })),
    ),
  (sql, from, to, tokensOf) =>
    Effect.map(
      sql<PlaceRow & { kind: "split" | "merge"; wallet: number; condition: number; amount: bigint }>`
        select 'split' as kind, block, log_index, at, wallet, condition, amount from split
        where block between ${from} and ${to}
        union all
        select 'merge', block, log_index, at, wallet, condition, amount from merge
        where block between ${from} and ${to}`,
      (rows) =>
        rows.flatMap((row) => {
          const [first, second] = tokensOf(row.condition)
          if (first === undefined || second === undefined) return []
          return {
            ...placeOf(row),
            kind: row.kind,
            wallet: String(row.wallet),
            condition: String(row.condition),
            tokens: [String(first), String(second)] as const,
            amount: Number(row.amount),
          }
        }),
    ),
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { wallet: number; condition: number; tokens: string; shares: string; payout: bigint }>`
        select block, log_index, at, wallet, condition, array_to_string(tokens, ',') as tokens,
          array_to_string(shares, ',') as shares, payout from redemption where block between ${from} and ${to}`,
      (rows) =>
        rows.map((row) => {
          const shares = row.shares.split(",")
          const tokens = row.tokens === "" ? [] : row.tokens.split(",")
          return {
            ...placeOf(row),
            kind: "redemption",
            wallet: String(row.wallet),
            condition: String(row.condition),
            handedIn: tokens.map((token, i) => ({ token, shares: Number(shares[i]) })),
            payout: Number(row.payout),
          }
        }),
    ),
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { wallet: number; nos: string; yeses: string; amount: bigint; paid: bigint }>`
        select block, log_index, at, wallet, array_to_string(nos, ',') as nos, array_to_string(yeses, ',') as yeses,
          amount, paid from conversion where block between ${from} and ${to}`,
      (rows) =>
        rows.map((row) => ({
          ...placeOf(row),
          kind: "conversion",
          wallet: String(row.wallet),
          negRiskMarket: "",
          questions: [],
          nos: row.nos.split(","),
          yeses: row.yeses.split(","),
          amount: Number(row.amount),
          paid: Number(row.paid),
        })),
    ),
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { sub: number; sender: number; receiver: number; token: number; shares: bigint }>`
        select block, log_index, at, sub, sender, receiver, token, shares from transfer
        where block between ${from} and ${to} order by sub`,
      (rows) =>
        rows.map((row) => ({
          ...placeOf(row),
          kind: "transfer",
          sub: row.sub,
          sender: String(row.sender),
          receiver: String(row.receiver),
          token: String(row.token),
          shares: Number(row.shares),
        })),
    ),
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { wallet: number; token: number; in_shares: boolean; amount: bigint }>`
        select block, log_index, at, wallet, token, in_shares, amount from fee_refund
        where block between ${from} and ${to}`,
      (rows) =>
        rows.map((row) => ({
          ...placeOf(row),
          kind: "fee_refund",
          wallet: String(row.wallet),
          token: String(row.token),
          inShares: row.in_shares,
          amount: Number(row.amount),
          orderHash: "",
        })),
    ),
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { condition: number; payouts: string }>`
        select block, log_index, at, condition, array_to_string(payouts, ',') as payouts from resolution
        where block between ${from} and ${to}`,
      (rows) =>
        rows.map((row) => ({
          ...placeOf(row),
          kind: "resolution",
          condition: String(row.condition),
          payouts: row.payouts.split(",").map(Number),
        })),
    ),
]

const inOrder = (a: Fact, b: Fact) => a.block - b.block || a.logIndex - b.logIndex

/** Everything that moves positions, in the order of the chain, with numbers for names; in parts of about the same size. */
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
          const read = yield* Effect.forEach(readers, (reader) => reader(sql, from, to, tokensOf))
          const facts = read.flat().sort(inOrder)
          const fitting = Math.floor((width * factsWanted) / Math.max(1, facts.length))
          const next = { from: to + 1, width: Math.max(1, Math.min(fitting, 2 * width, mostBlocks)) }
          return [[{ first: from, last: to, facts }], to < last ? Option.some(next) : Option.none()] as const
        }),
      )
