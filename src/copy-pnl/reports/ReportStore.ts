import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { secondOf, transactionSql } from "#src/dictionary/factSql.ts"
import { type Shares, shares, type Usdc, usdc } from "#src/domain/amounts.ts"
import { realizedKinds } from "#src/ledger/positions/model.ts"
import type { ReportRequest, Sums, Trade } from "./model.ts"

type Window = Pick<ReportRequest, "after" | "until">

interface SumsRow {
  readonly realized: Usdc<bigint>
  readonly closed: number
  readonly bought_shares: Shares<bigint>
  readonly bought_usd: Usdc<bigint>
  readonly hold_seconds: number | null
}

const nothing: SumsRow = {
  realized: usdc(0n),
  closed: 0,
  bought_shares: shares(0n),
  bought_usd: usdc(0n),
  hold_seconds: null,
}

/**
 * A position is closed if it realized P&L within the window and holds no shares, or if its market was resolved within the
 * window. Holding time runs from the average time of buying to the average time of selling or redeeming, over tokens with
 * both in the window, weighted by the shares that left.
 */
export const sumsOf = (sql: SqlClient, wallet: number, { after, until }: Window) => {
  const [from, to] = [new Date(after), new Date(until)]
  const [fromSecond, toSecond] = [secondOf(after), secondOf(until)]
  const resolution = realizedKinds.indexOf("resolution")
  return Effect.map(
    sql<SumsRow>`
      with traded as (
        select token, at, is_sale, shares, usd from fill
        where maker = ${wallet} and at > ${fromSecond} and at <= ${toSecond}),
      parted as (
        select token, at::float8 as moment, shares from traded where is_sale
        union all
        select u.token, extract(epoch from r.at)::float8, u.shares from redemption r cross join unnest(r.tokens, r.shares) u(token, shares)
        where r.wallet = ${wallet} and r.at > ${from} and r.at <= ${to}),
      entry as (
        select token, sum(shares)::float8 as shares, sum(shares::float8 * at) as moment
        from traded where not is_sale and shares > 0 group by token),
      leaving as (
        select token, sum(shares)::float8 as shares, sum(shares::float8 * moment) as moment
        from parted where shares > 0 group by token),
      gained as (
        select token, sum(amount) as amount, bool_or(kind = ${resolution}) as resolved from realized_event
        where wallet = ${wallet} and at > ${from} and at <= ${to} group by token)
      select coalesce((select sum(amount) from gained), 0)::int8 as realized,
        (select count(*) from gained g left join position p on p.wallet = ${wallet} and p.token = g.token
         where g.resolved or coalesce(p.shares, 0) = 0)::int4 as closed,
        coalesce(sum(shares) filter (where not is_sale), 0)::int8 as bought_shares,
        coalesce(sum(usd) filter (where not is_sale), 0)::int8 as bought_usd,
        (select sum(l.shares * greatest(0, l.moment / l.shares - e.moment / e.shares)) / sum(l.shares)
         from leaving l join entry e using (token)) as hold_seconds
      from traded`,
    ([row]): Sums => {
      const { realized, closed, bought_shares, bought_usd, hold_seconds } = row ?? nothing
      return { realized, closed, boughtShares: bought_shares, boughtUsd: bought_usd, holdSeconds: hold_seconds }
    },
  )
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

interface TradeRow {
  readonly tx: Uint8Array
  readonly order_hash: Uint8Array
  readonly at: number
  readonly token: Uint8Array
  readonly is_sale: boolean
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
}

/** Newest first. */
export const tradesOf = (sql: SqlClient, wallet: number, { after, until, trades }: ReportRequest) =>
  trades === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<TradeRow>`
          select ${sql.literal(transactionSql("f"))} as tx, f.order_hash, f.at, t.hash as token, f.is_sale, f.shares, f.usd
          from (
            select * from fill where maker = ${wallet} and at > ${secondOf(after)} and at <= ${secondOf(until)}
            order by at desc, block desc, log_index desc limit ${trades}) f
          join token t on t.id = f.token order by f.at desc, f.block desc, f.log_index desc`,
        (rows): ReadonlyArray<Trade> =>
          rows.map(({ tx, order_hash, at, token, is_sale, shares, usd }) => ({
            tx: hex(tx),
            order: hex(order_hash),
            at: 1000 * at,
            token: hex(token),
            side: is_sale ? 1 : 0,
            shares,
            usd,
          })),
      )
