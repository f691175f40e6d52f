import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Fact, Place } from "./model.ts"
import type { Numbers } from "./numbered.ts"

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

const blocksAtOnce = 20_000

/** Reads one kind of rows and makes facts of them. */
type Reader = (sql: SqlClient, from: number, to: number) => Effect.Effect<ReadonlyArray<Fact>, SqlError>

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
  (sql, from, to) =>
    Effect.map(
      sql<PlaceRow & { kind: "split" | "merge"; wallet: number; condition: number; amount: bigint; tokens: string }>`
        select c.kind, c.block, c.log_index, c.at, c.wallet, c.condition, c.amount,
          string_agg(t.id::text, ',' order by t.outcome) as tokens
        from (
          select 'split' as kind, s.* from split s union all select 'merge', m.* from merge m) c
        join token t on t.condition = c.condition
        where c.block between ${from} and ${to}
        group by c.kind, c.block, c.log_index, c.at, c.wallet, c.condition, c.amount`,
      (rows) =>
        rows.map((row) => {
          const [first = "", second = ""] = row.tokens.split(",")
          return {
            ...placeOf(row),
            kind: row.kind,
            wallet: String(row.wallet),
            condition: String(row.condition),
            tokens: [first, second] as const,
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

/** Everything that moves positions, in the order of the chain, with numbers for names. */
export const readFacts = (sql: SqlClient, first: number, last: number): Stream.Stream<Fact, SqlError> =>
  Stream.range(0, Math.max(0, Math.ceil((last - first + 1) / blocksAtOnce) - 1)).pipe(
    Stream.mapEffect((part) => {
      const from = first + part * blocksAtOnce
      const to = Math.min(last, from + blocksAtOnce - 1)
      return Effect.map(
        Effect.forEach(readers, (read) => read(sql, from, to)),
        (read) => read.flat().sort(inOrder),
      )
    }),
    Stream.flattenIterable,
  )
