import { Array as Arr, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { PlaceRow } from "#src/feed/rows.ts"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { emptied } from "../emptied.ts"
import { ordinalOf } from "../factPlace.ts"
import type { Followed, UndoRow } from "./followPositions.ts"
import { movesOf } from "./MoveStore.ts"
import { addressBytes, insertHoldings, seedWatched } from "./seed.ts"

/** Shares that a fact moved for somebody who is watched. */
export interface MoveRow extends PlaceRow {
  readonly kind: string
  readonly sub: number
  readonly ordinal: number
  readonly wallet: number
  readonly token: number
  readonly delta: bigint
  readonly since: number
}

export interface ResolvedRow {
  readonly kind: "resolution"
  readonly block: number
  readonly log_index: number
  readonly sub: 0
  readonly at: Date
  readonly tx: string
  readonly ordinal: number
  readonly token: number
}

/** Wallets in one statement. */
const mostAtOnce = 10_000

/** The last of all blocks. */
export const noFork = 2_147_483_647

const insertUndo = bulkInsert<UndoRow>({
  table: "webhook_position_undo",
  columns: { block: "int4", wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict do nothing",
})

/** Who is watched, as a relation of addresses and the blocks since which they are. */
export type Watched = (sql: SqlClient, fork: number) => ReturnType<SqlClient["literal"]>

/** Whoever was seeded with blocks that were taken back is seeded anew, with how it stood at the fork. */
export const watchedByRows: Watched = (sql, fork) =>
  sql.literal(`(select address, least(block, ${fork}) as since from webhook_watched_wallet)`)

export const watchedStore = ({ sql, reads }: Postgres["Service"]) => ({
  moves: (watched: ReturnType<Watched>, blocks: ReadonlyArray<number>) => reads<MoveRow>`
    select m.kind, m.block, m.log_index, m.sub, m.at, encode(m.tx, 'hex') as tx, ${ordinalOf(reads, "m")} as ordinal,
      m.wallet, m.token, m.delta, m.since
    from (
      select n.*, x.since from ${movesOf(reads)} n
      join wallet w on w.id = n.wallet join ${watched} x on x.address = w.address
      where n.block = any(${pgArray("int4", blocks)})) m
    order by m.block, m.log_index, m.sub, m.part`,

  /** The tokens of the conditions that were resolved in some blocks. */
  resolutions: (blocks: ReadonlyArray<number>) => reads<ResolvedRow>`
    select r.kind, r.block, r.log_index, r.sub, r.at, encode(r.tx, 'hex') as tx,
      ${ordinalOf(reads, "r", ["resolution"])} as ordinal, t.id as token
    from (select 'resolution' as kind, 0 as sub, f.* from resolution f where f.block = any(${pgArray("int4", blocks)})) r
    join token t on t.condition = r.condition and t.outcome is not null
    order by r.block, r.log_index, t.outcome`,

  /** Where the conditions of tokens were resolved. */
  resolvedAt: (tokens: ReadonlyArray<number>) => reads<{ token: number; block: number; log_index: number }>`
    select t.id as token, r.block, r.log_index from token t join resolution r on r.condition = t.condition
    where t.id = any(${pgArray("int4", tokens)})`,

  /** Positions of these wallets in these tokens, and all in others, as they were at the fork. */
  holdings: (pairs: ReadonlyArray<Pick<MoveRow, "wallet" | "token">>, tokens: ReadonlyArray<number>, fork: number) => {
    const isWanted = reads`(token = any(${pgArray("int4", tokens)}) or (wallet, token) in (
      select * from unnest(${pgArray(
        "int4",
        pairs.map(({ wallet }) => wallet),
      )}, ${pgArray(
        "int4",
        pairs.map(({ token }) => token),
      )})))`
    return reads<Followed>`
      select h.wallet, h.token, h.shares, h.status, x.since from (
        select distinct on (wallet, token) wallet, token, shares, status from (
          select block, wallet, token, shares, status from webhook_position_undo where block > ${fork} and ${isWanted}
          union all
          select ${noFork}::int, wallet, token, shares, status from webhook_position where ${isWanted}) u
        order by wallet, token, block) h
      join wallet w on w.id = h.wallet join ${watchedByRows(reads, fork)} x on x.address = w.address
      where h.shares is not null`
  },

  /** Wallets that were seeded with blocks that were taken back. */
  seededAfter: (fork: number) => reads<{ id: number }>`
    select w.id from webhook_watched_wallet x join wallet w on w.address = x.address where x.block > ${fork}`,

  count: Effect.map(
    reads<{ count: number }>`select count(*)::int as count from webhook_watched_wallet`,
    ([row]) => row?.count ?? 0,
  ),

  /** Makes every position what it was at the fork. */
  undo: Effect.fnUntraced(function* (fork: number) {
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
  }),

  /** Puts wallets back to a block with what they held then. */
  reseed: Effect.fnUntraced(function* (wallets: ReadonlyArray<number>, held: ReadonlyArray<Followed>, fork: number) {
    yield* sql`update webhook_watched_wallet set block = ${fork} where block > ${fork}`
    yield* sql`delete from webhook_position where wallet = any(${pgArray("int4", wallets)})`
    yield* insertHoldings(sql, held)
  }),

  save: Effect.fnUntraced(function* (changed: ReadonlyArray<Followed>, undo: ReadonlyArray<UndoRow>) {
    yield* insertHoldings(sql, changed)
    yield* insertUndo(sql, undo)
  }),
  settleBefore: (block: number) => sql`delete from webhook_position_undo where block < ${block}`,

  /** Those who are followed although nobody asks for them. */
  unasked: Effect.fnUntraced(function* (isAsked: (address: string) => boolean) {
    const found: Array<string> = []
    let after = "0x"
    while (true) {
      const rows = yield* reads<{ name: string }>`
        select '0x' || encode(address, 'hex') as name from webhook_watched_wallet
        where address > decode(${after.slice(2)}, 'hex') order by address limit ${mostAtOnce}`
      for (const { name } of rows) if (!isAsked(name)) found.push(name)
      const last = rows.at(-1)
      if (last === undefined) return found
      after = last.name
    }
  }),

  forget: Effect.fnUntraced(function* (addresses: ReadonlyArray<string>) {
    for (const some of Arr.chunksOf(addresses, mostAtOnce)) {
      const gone = yield* sql<{ id: number | null }>`
        delete from webhook_watched_wallet x where address = any(${addressBytes(some)})
        returning (select w.id from wallet w where w.address = x.address) as id`
      const ids = pgArray(
        "int4",
        gone.flatMap(({ id }) => (id === null ? [] : [id])),
      )
      yield* sql`delete from webhook_position where wallet = any(${ids})`
      yield* sql`delete from webhook_position_undo where wallet = any(${ids})`
    }
  }),

  follow: (addresses: Iterable<string>) =>
    Effect.forEach(Arr.chunksOf(addresses, mostAtOnce), (some) => seedWatched(sql, some), { discard: true }),

  forgetAll: emptied(sql, ["webhook_watched_wallet", "webhook_position", "webhook_position_undo"]),
})
