import { Array as Arr, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { transactionSql } from "#src/dictionary/factSql.ts"
import type { Shares } from "#src/domain/amounts.ts"
import type { FactRow } from "#src/feed/rows.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { ordinalSql } from "../factPositions.ts"
import { hashBytes } from "../hashBytes.ts"
import { truncateIfAny } from "../stateful.ts"
import type { UndoRow } from "./followPositions.ts"
import { type Followed, type HoldingRow, movesOf, type WantedHolding } from "./HoldingStore.ts"
import { startFollowing } from "./SeedStore.ts"

/** Shares that a fact moved for a watched wallet. */
export interface MoveRow extends FactRow {
  readonly kind: string
  readonly sub: number
  readonly ordinal: number
  readonly wallet: number
  readonly token: number
  readonly delta: Shares<bigint>
  readonly since: number
}

export interface ResolvedRow {
  readonly kind: "resolution"
  readonly block: number
  readonly log_index: number
  readonly sub: number
  readonly at: Date
  readonly tx: string
  readonly ordinal: number
  readonly token: number
}

/** Wallets per statement. */
const walletBatch = 10_000

/** Higher than any block: no reorganisation. */
export const noFork = 2_147_483_647

const insertHoldings = bulkInsert<HoldingRow>({
  table: "webhook_position",
  columns: { wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict (wallet, token) do update set shares = excluded.shares, status = excluded.status",
})

const insertUndo = bulkInsert<UndoRow>({
  table: "webhook_position_undo",
  columns: { block: "int4", wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict do nothing",
})

/** A relation of watched addresses and the block since which each is followed. */
export type Watched = (sql: SqlClient, fork: number) => ReturnType<SqlClient["literal"]>

/** Wallets that are followed since a retracted block are followed from the fork instead, and seeded again. */
export const watchedByRows: Watched = (sql, fork) =>
  sql.literal(`(select address, least(block, ${fork}) as since from webhook_watched_wallet)`)

type Pair = Pick<MoveRow, "wallet" | "token">

const pairsTable = (sql: SqlClient, pairs: ReadonlyArray<Pair>) =>
  unnest(sql, "g", pairs, {
    wallet: ["int4", ({ wallet }) => wallet],
    token: ["int4", ({ token }) => token],
  })

/** Which of the given pairs, and of all positions in the given tokens, belong to these wallets; mostly there are none. */
export const wantedOf = (
  sql: SqlClient,
  watched: ReturnType<Watched>,
  pairs: ReadonlyArray<Pair>,
  tokens: ReadonlyArray<number>,
) => sql<WantedHolding>`
  select c.wallet, c.token, x.since from (
    select g.wallet, g.token from ${pairsTable(sql, pairs)}
    union
    select p.wallet, p.token from position p where p.token = any(${pgArray("int4", tokens)})) c
  join wallet w on w.id = c.wallet join ${watched} x on x.address = w.address
  where exists (select 1 from ${watched} u)`

/** Watched wallets whose positions are not all in rows at the fork. */
export const unseededByRows: Watched = (sql, fork) => {
  const isRestarted = fork === noFork ? "" : `or block > ${fork}`
  return sql.literal(
    `(select address, least(block, ${fork}) as since from webhook_watched_wallet where not seeded ${isRestarted})`,
  )
}

export const moves = (sql: SqlClient, watched: ReturnType<Watched>, blocks: ReadonlyArray<number>) => sql<MoveRow>`
  select m.kind, m.block, m.log_index, m.sub, m.at, encode(${sql.literal(transactionSql("m"))}, 'hex') as tx, ${ordinalSql(sql, "m")} as ordinal,
    m.wallet, m.token, m.delta, m.since
  from (
    select n.*, x.since from ${movesOf(sql)} n
    join wallet w on w.id = n.wallet join ${watched} x on x.address = w.address
    where n.block = any(${pgArray("int4", blocks)})) m
  order by m.block, m.log_index, m.sub, m.part`

/** Tokens of the conditions that were resolved in some blocks. */
export const resolutions = (sql: SqlClient, blocks: ReadonlyArray<number>) => sql<ResolvedRow>`
  select r.kind, r.block, r.log_index, r.sub, r.at, encode(${sql.literal(transactionSql("r"))}, 'hex') as tx,
    ${ordinalSql(sql, "r", ["resolution"])} as ordinal, t.id as token
  from (select 'resolution' as kind, f.* from resolution f where f.block = any(${pgArray("int4", blocks)})) r
  join token t on t.condition = r.condition and t.outcome is not null
  order by r.block, r.log_index, r.sub, t.outcome`

/** Log positions at which the conditions of tokens were resolved. */
export const resolvedAt = (sql: SqlClient, tokens: ReadonlyArray<number>) => sql<{
  token: number
  block: number
  log_index: number
}>`
  select t.id as token, r.block, r.log_index from token t join resolution r on r.condition = t.condition
  where t.id = any(${pgArray("int4", tokens)})`

/** The rows of the given pairs, and all rows of the given tokens, as they were at the fork. */
export const holdings = (sql: SqlClient, pairs: ReadonlyArray<Pair>, tokens: ReadonlyArray<number>, fork: number) => {
  const given = pairsTable(sql, pairs)
  const isWanted = sql`(token = any(${pgArray("int4", tokens)}) or (wallet, token) in (select g.wallet, g.token from ${given}))`
  return sql<Followed>`
    select h.wallet, h.token, h.shares, h.status, x.block as since from (
      select distinct on (wallet, token) wallet, token, shares, status from (
        select block, wallet, token, shares, status from webhook_position_undo where block > ${fork} and ${isWanted}
        union all
        select ${noFork}::int, wallet, token, shares, status from webhook_position where ${isWanted}) u
      order by wallet, token, block) h
    join wallet w on w.id = h.wallet join webhook_watched_wallet x on x.address = w.address and x.block <= ${fork}
    where h.shares is not null`
}

export const count = (sql: SqlClient) =>
  Effect.map(
    sql<{ count: number }>`select count(*)::int as count from webhook_watched_wallet`,
    ([row]) => row?.count ?? 0,
  )

/** Restores every position as it was at the fork. */
const undo = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  const first = sql`
    select distinct on (wallet, token) wallet, token, shares, status from webhook_position_undo
    where block > ${fork} order by wallet, token, block`
  yield* sql`
    delete from webhook_position p using (${first}) u
    where p.wallet = u.wallet and p.token = u.token and u.shares is null`
  yield* sql`
    insert into webhook_position (wallet, token, shares, status)
    select wallet, token, shares, status from (${first}) u where u.shares is not null
    on conflict (wallet, token) do update set shares = excluded.shares, status = excluded.status`
  yield* sql`delete from webhook_position_undo where block > ${fork}`
})

/** Wallets that are followed since a retracted block are followed from the fork, and a job seeds them again. */
const restart = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  const restarted = yield* sql<{ id: number | null }>`
    update webhook_watched_wallet x set block = ${fork}, seeded = false where block > ${fork}
    returning (select w.id from wallet w where w.address = x.address) as id`
  const ids = restarted.flatMap(({ id }) => (id === null ? [] : [id]))
  yield* sql`delete from webhook_position where wallet = any(${pgArray("int4", ids)})`
})

/** Returns to the fork. */
export const rollBack = (sql: SqlClient, fork: number) => Effect.andThen(undo(sql, fork), restart(sql, fork))

export const save = Effect.fnUntraced(function* (
  sql: SqlClient,
  changed: ReadonlyArray<Followed>,
  undoRows: ReadonlyArray<UndoRow>,
) {
  yield* insertHoldings(sql, changed)
  yield* insertUndo(sql, undoRows)
})

/** Positions of older blocks cannot be retracted any more. */
export const dropUndoBefore = (sql: SqlClient, block: number) =>
  sql`delete from webhook_position_undo where block < ${block}`

/** Addresses that are followed although no webhook watches them. */
export const unwatched = Effect.fnUntraced(function* (sql: SqlClient, isWatched: (address: string) => boolean) {
  const found: Array<string> = []
  let after = "0x"
  while (true) {
    const rows = yield* sql<{ name: string }>`
      select '0x' || encode(address, 'hex') as name from webhook_watched_wallet
      where address > decode(${after.slice(2)}, 'hex') order by address limit ${walletBatch}`
    for (const { name } of rows) if (!isWatched(name)) found.push(name)
    const last = rows.at(-1)
    if (last === undefined) return found
    after = last.name
  }
})

export const remove = Effect.fnUntraced(function* (sql: SqlClient, addresses: ReadonlyArray<string>) {
  for (const some of Arr.chunksOf(addresses, walletBatch)) {
    const gone = yield* sql<{ id: number | null }>`
      delete from webhook_watched_wallet x where address = any(${hashBytes(some)})
      returning (select w.id from wallet w where w.address = x.address) as id`
    const ids = pgArray(
      "int4",
      gone.flatMap(({ id }) => (id === null ? [] : [id])),
    )
    yield* sql`delete from webhook_position where wallet = any(${ids})`
    yield* sql`delete from webhook_position_undo where wallet = any(${ids})`
  }
})

export const follow = (sql: SqlClient, addresses: Iterable<string>) =>
  Effect.forEach(Arr.chunksOf(addresses, walletBatch), (some) => startFollowing(sql, some), { discard: true })

export const removeAll = (sql: SqlClient) =>
  truncateIfAny(sql, ["webhook_watched_wallet", "webhook_position", "webhook_position_undo"])
