import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Shares } from "#src/domain/amounts.ts"
import { historyIsComplete } from "#src/ledger/historyIsComplete.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { CheckResult } from "./model.ts"

/** Ids of a wallet and a token. */
export interface PositionKey {
  readonly wallet: number
  readonly token: number
}

/** A balance of the ledger. Digits have no 0x. */
export interface OwnBalance {
  readonly key: PositionKey
  readonly wallet: string
  readonly token: string
  readonly shares: Shares<bigint>
}

/** Undefined while the ledger is empty. */
export const readState = (sql: SqlClient) =>
  Effect.map(
    sql<{ caught_up: boolean; complete: boolean }>`
      select ${historyIsComplete(sql)} as caught_up, coalesce(started_from <= venue_from, true) as complete
      from chain_cursor left join ledger_coverage on true`,
    ([row]) => row,
  )

/** Wallets whose positions changed in the blocks that may still be replaced, in an order that depends on the seed. */
export const recentWallets = (sql: SqlClient, seed: number, limit: number) =>
  Effect.map(
    sql<{ wallet: number }>`
      select wallet from (select distinct wallet from position_undo) changed
      order by md5(wallet || ' ' || ${String(seed)}), wallet limit ${limit}`,
    (rows) => rows.map(({ wallet }) => wallet),
  )

/** Lowest and highest wallet with a position; undefined without any. */
export const walletRange = (sql: SqlClient) =>
  Effect.map(
    sql<{ lowest: number | null; highest: number | null }>`
      select min(wallet) as lowest, max(wallet) as highest from position`,
    ([row]) => (row?.lowest == null || row.highest === null ? undefined : { lowest: row.lowest, highest: row.highest }),
  )

/** The first wallet with a position from each of these ids on. */
export const walletsFrom = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  Effect.map(
    sql<{ wallet: number | null }>`
      select (select wallet from position p where p.wallet >= n.id order by p.wallet limit 1) as wallet
      from ${unnest(sql, "n", ids, { id: ["int4", (id) => id] })}`,
    (rows) => rows.flatMap(({ wallet }) => wallet ?? []),
  )

/**
 * Positions of these wallets, at most `limit` of each: the first half are those that changed last, the others depend on
 * the seed. Positions whose opening balance the node could not tell are left out.
 */
export const positionsOf = (sql: SqlClient, wallets: ReadonlyArray<number>, seed: number, limit: number) =>
  sql<PositionKey>`
    select p.wallet, p.token from unnest(${pgArray("int4", wallets)}) n(id) cross join lateral (
      select wallet, token from (
        select wallet, token, row_number() over (order by changed_at desc, token) as rank
        from position q where wallet = n.id and not exists (
          select from opening_balance o where o.wallet = q.wallet and o.token = q.token and o.shares is null)) ranked
      order by rank > ${Math.ceil(limit / 2)}, md5(token || ' ' || ${String(seed)}) limit ${limit}) p`

/**
 * Tokens that these wallets have no position in, although they have others of the same event: the likeliest to be missing.
 * At most `limit` of each wallet, near its last positions.
 */
export const absentPositionsOf = (sql: SqlClient, wallets: ReadonlyArray<number>, seed: number, limit: number) =>
  sql<PositionKey>`
    select n.id as wallet, t.id as token from unnest(${pgArray("int4", wallets)}) n(id) cross join lateral (
      select t.id from token t
      where t.condition in (
        select h.condition from (
          select token from position where wallet = n.id order by changed_at desc, token limit ${limit}) p
        join token h on h.id = p.token
        union
        select s.condition from (
          select token from position where wallet = n.id order by changed_at desc, token limit ${limit}) p
        join token h on h.id = p.token join market m on m.condition = h.condition join market s on s.event = m.event)
      and not exists (select 1 from position o where o.wallet = n.id and o.token = t.id)
      order by md5(t.id || ' ' || ${String(seed)}) limit ${limit}) t`

interface BalanceRow {
  readonly block: number
  readonly block_hash: string
  readonly wallet_id: number
  readonly token_id: number
  readonly wallet: string
  readonly token: string
  readonly shares: Shares<bigint>
}

/** These balances and the ledger's block, in one statement and therefore of one moment. A missing position is empty. */
export const readBalances = Effect.fnUntraced(function* (sql: SqlClient, keys: ReadonlyArray<PositionKey>) {
  const wanted = unnest(sql, "n", keys, {
    wallet: ["int4", ({ wallet }) => wallet],
    token: ["int4", ({ token }) => token],
  })
  const rows = yield* sql<BalanceRow>`
    select c.block, encode(c.hash, 'hex') as block_hash, n.wallet as wallet_id, n.token as token_id,
      encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, coalesce(p.shares, 0) as shares
    from chain_cursor c cross join ${wanted} join wallet w on w.id = n.wallet join token t on t.id = n.token
      left join position p on p.wallet = n.wallet and p.token = n.token`
  const [first] = rows
  if (first === undefined) return undefined
  const balances = rows.map(
    ({ wallet_id, token_id, wallet, token, shares }): OwnBalance => ({
      key: { wallet: wallet_id, token: token_id },
      wallet,
      token,
      shares,
    }),
  )
  return { block: first.block, hash: first.block_hash, balances }
})

/** The result is a row beside the reports of processes, whose reader skips it because of its format. */
const [source, reporter] = ["balances", "check"]

const encode = Schema.encodeSync(Schema.fromJsonString(CheckResult))

export const saveResult = (sql: SqlClient, result: CheckResult) => sql`
  insert into source_status (source, process, since, figures)
  values (${source}, ${reporter}, now(), ${encode(result)}::jsonb)
  on conflict (source, process) do update set at = now(), since = now(), figures = excluded.figures`

const decode = Schema.decodeUnknownOption(CheckResult)

/** The last result and its time in milliseconds; undefined without one, or if another version wrote it. */
export const lastResult = (sql: SqlClient) =>
  Effect.map(
    sql<{ at: Date; figures: unknown }>`
      select at, figures from source_status where source = ${source} and process = ${reporter}`,
    ([row]) =>
      row === undefined
        ? undefined
        : Option.getOrUndefined(Option.map(decode(row.figures), (result) => ({ at: row.at.getTime(), result }))),
  )
