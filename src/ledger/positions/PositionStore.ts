import { Effect, Record } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Shares, shares, type Usdc, usdc } from "#src/domain/amounts.ts"
import type { Column } from "#src/platform/sql/bulkColumns.ts"
import { bulkInsertFrom, bulkUpdate } from "#src/platform/sql/bulkWrite.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import { type Position, type RealizedEvent, realizedKinds } from "./model.ts"
import type { UndoNote } from "./undo.ts"

export interface PositionRow {
  readonly wallet: number
  readonly token: number
  readonly shares: Shares<bigint>
  readonly cost: Usdc<bigint>
  readonly realized: Usdc<bigint>
  readonly bought: Shares<bigint>
  readonly sold: Shares<bigint>
  readonly redeemed: boolean
  readonly partial: boolean
  readonly changed_at: Date
  readonly paid: Usdc<bigint>
  readonly volume: Usdc<bigint>
  readonly profit: Usdc<bigint>
  readonly wins: number
  readonly losses: number
  readonly traded_at: Date | null
}

type ColumnOf<A> = Readonly<Record<string, Column<A>>>

const key = {
  wallet: ["int4", ({ wallet }) => wallet],
  token: ["int4", ({ token }) => token],
} as const satisfies ColumnOf<Pick<Position, "wallet" | "token">>

const values: ColumnOf<Position> = {
  shares: ["amount", ({ shares }) => shares],
  cost: ["amount", ({ cost }) => cost],
  realized: ["amount", ({ realized }) => realized],
  bought: ["amount", ({ bought }) => bought],
  sold: ["amount", ({ sold }) => sold],
  redeemed: ["bool", ({ redeemed }) => redeemed],
  partial: ["bool", ({ partial }) => partial],
  changed_at: ["timestamptz", ({ changedAt }) => changedAt],
  paid: ["amount", ({ paid }) => paid],
  volume: ["amount", ({ volume }) => volume],
  profit: ["amount", ({ profit }) => profit],
  wins: ["int4", ({ wins }) => wins],
  losses: ["int4", ({ losses }) => losses],
  traded_at: ["timestamptz", ({ tradedAt }) => tradedAt ?? null],
}

const setTo = (source: string) =>
  Object.keys(values)
    .map((name) => `${name} = ${source}.${name}`)
    .join(", ")

const insertRows = bulkInsertFrom<Position, undefined>({ table: "position", columns: { ...key, ...values } })
const insertBaseRows = bulkInsertFrom<Position, undefined>({ table: "position_base", columns: { ...key, ...values } })
const upsertRows = bulkInsertFrom<Position, undefined>({
  table: "position",
  columns: { ...key, ...values },
  suffix: `on conflict (wallet, token) do update set ${setTo("excluded")}`,
})
const updateRows = bulkUpdate<Position>({ table: "position", key, columns: values })

/** The column of the earlier state; null if there was none. */
const ofBefore = ([type, read]: Column<Position>) =>
  [type, ({ before }: UndoNote) => (before === undefined ? null : read(before, undefined))] as Column<UndoNote>

const insertUndo = bulkInsertFrom<UndoNote, undefined>({
  table: "position_undo",
  columns: { block: ["int4", ({ block }) => block], ...key, ...Record.map(values, ofBefore) },
  suffix: "on conflict do nothing",
})

interface NumberedEvent extends RealizedEvent {
  /** Index among the events of the same log. */
  readonly sub: number
}

const insertEvents = bulkInsertFrom<NumberedEvent, undefined>({
  table: "realized_event",
  columns: {
    block: ["int4", ({ block }) => block],
    log_index: ["int4", ({ logIndex }) => logIndex],
    sub: ["int4", ({ sub }) => sub],
    at: ["timestamptz", ({ at }) => at],
    ...key,
    kind: ["int2", ({ kind }) => realizedKinds.indexOf(kind)],
    amount: ["amount", ({ amount }) => amount],
  },
})

export const positionOf = (row: PositionRow): Position => ({
  wallet: row.wallet,
  token: row.token,
  shares: shares(Number(row.shares)),
  cost: usdc(Number(row.cost)),
  realized: usdc(Number(row.realized)),
  bought: shares(Number(row.bought)),
  sold: shares(Number(row.sold)),
  redeemed: row.redeemed,
  partial: row.partial,
  changedAt: row.changed_at.getTime(),
  paid: usdc(Number(row.paid)),
  volume: usdc(Number(row.volume)),
  profit: usdc(Number(row.profit)),
  wins: row.wins,
  losses: row.losses,
  tradedAt: row.traded_at?.getTime(),
})

/** A set of positions, by token. */
export class PositionKeys {
  readonly wallets = new Map<number, Set<number>>()

  readonly add = (wallet: number, token: number): void => {
    const wallets = this.wallets.get(token)
    if (wallets === undefined) this.wallets.set(token, new Set([wallet]))
    else wallets.add(wallet)
  }

  /** By token, as the index is. */
  columns(): { readonly wallets: ReadonlyArray<number>; readonly tokens: ReadonlyArray<number> } {
    const [wallets, tokens]: [Array<number>, Array<number>] = [[], []]
    for (const [token, holders] of [...this.wallets].sort(([a], [b]) => a - b)) {
      for (const wallet of holders) {
        wallets.push(wallet)
        tokens.push(token)
      }
    }
    return { wallets, tokens }
  }
}

/**
 * Existing positions, read in index order. History mostly mentions new tokens, whose ids are above those of all stored
 * positions.
 */
export const load = Effect.fnUntraced(function* (sql: SqlClient, keys: PositionKeys) {
  if (keys.wallets.size === 0) return []
  const { wallets, tokens } = keys.columns()
  const rows = yield* sql<PositionRow>`
    select p.* from unnest(${pgArray("int4", wallets)}, ${pgArray("int4", tokens)}) w(wallet, token)
      join position p using (wallet, token)
    where w.token <= (select max(token) from position)`
  return rows.map(positionOf)
})

/** All positions with shares of these tokens. */
export const loadHolders = (sql: SqlClient, tokens: ReadonlyArray<number>) =>
  tokens.length === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<PositionRow>`select * from position where shares <> 0 and token = any(${pgArray("int4", tokens)})`,
        (rows) => rows.map(positionOf),
      )

/** For new positions only: checking whether they exist costs as much as writing them. */
export const insert = (sql: SqlClient, positions: ReadonlyArray<Position>) => insertRows(sql, positions, undefined)

export const insertBase = (sql: SqlClient, positions: ReadonlyArray<Position>) =>
  insertBaseRows(sql, positions, undefined)

/** For existing positions only. */
export const update = (sql: SqlClient, positions: ReadonlyArray<Position>) => updateRows(sql, positions)

export const upsert = (sql: SqlClient, positions: ReadonlyArray<Position>) => upsertRows(sql, positions, undefined)

export const remove = (sql: SqlClient, keys: ReadonlyArray<readonly [wallet: number, token: number]>) => {
  const removed = unnest(sql, "s", keys, {
    wallet: ["int4", ([wallet]) => wallet],
    token: ["int4", ([, token]) => token],
  })
  return sql`delete from position p using ${removed} where p.wallet = s.wallet and p.token = s.token`
}

export const saveUndo = (sql: SqlClient, notes: ReadonlyArray<UndoNote>) => insertUndo(sql, notes, undefined)

/** Numbers the events of each log. */
export const numberWithinLog = (events: ReadonlyArray<RealizedEvent>): ReadonlyArray<NumberedEvent> => {
  const counts = new Map<string, number>()
  return events.map((event) => {
    const log = `${event.block}:${event.logIndex}`
    const sub = counts.get(log) ?? 0
    counts.set(log, sub + 1)
    return { ...event, sub }
  })
}

export const saveEvents = (sql: SqlClient, events: ReadonlyArray<RealizedEvent>) =>
  insertEvents(sql, numberWithinLog(events), undefined)

/** Restores every position to its state before the blocks after `fork`. */
export const undo = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  yield* sql`
    delete from position p using (
      select distinct on (wallet, token) wallet, token, shares from position_undo
      where block > ${fork} order by wallet, token, block) u
    where p.wallet = u.wallet and p.token = u.token and u.shares is null`
  yield* sql`
    update position p set ${sql.literal(setTo("u"))}
    from (
      select distinct on (wallet, token) * from position_undo
      where block > ${fork} order by wallet, token, block) u
    where p.wallet = u.wallet and p.token = u.token and u.shares is not null`
  yield* sql`delete from position_undo where block > ${fork}`
})
