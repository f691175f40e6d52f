import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/bulkInsert.ts"
import { pgArray } from "#src/platform/pgArray.ts"
import { type Position, type RealizedEvent, realizedKinds } from "./model.ts"

/** As stored. */
export interface PositionRow {
  readonly wallet: number
  readonly token: number
  readonly shares: bigint
  readonly cost: bigint
  readonly realized: bigint
  readonly bought: bigint
  readonly sold: bigint
  readonly redeemed: boolean
  readonly changed_at: Date
  readonly paid: bigint
  readonly volume: bigint
  readonly profit: bigint
  readonly wins: number
  readonly losses: number
  readonly traded_at: Date | null
}

const columns = {
  wallet: "int4",
  token: "int4",
  shares: "int8",
  cost: "int8",
  realized: "int8",
  bought: "int8",
  sold: "int8",
  redeemed: "bool",
  changed_at: "timestamptz",
  paid: "int8",
  volume: "int8",
  profit: "int8",
  wins: "int4",
  losses: "int4",
  traded_at: "timestamptz",
} as const

const values = Object.keys(columns).slice(2)

const upsert = bulkInsert<PositionRow>({
  table: "position",
  columns,
  suffix: `on conflict (wallet, token) do update set ${values.map((name) => `${name} = excluded.${name}`).join(", ")}`,
})

const insertUndo = bulkInsert<
  { block: number; wallet: number; token: number } & {
    readonly [K in Exclude<keyof PositionRow, "wallet" | "token">]: PositionRow[K] | null
  }
>({ table: "position_undo", columns: { block: "int4", ...columns }, suffix: "on conflict do nothing" })

const insertEvents = bulkInsert<{
  block: number
  log_index: number
  sub: number
  at: Date
  wallet: number
  token: number
  kind: number
  amount: bigint
}>({
  table: "realized_event",
  columns: {
    block: "int4",
    log_index: "int4",
    sub: "int4",
    at: "timestamptz",
    wallet: "int4",
    token: "int4",
    kind: "int2",
    amount: "int8",
  },
  suffix: "on conflict do nothing",
})

export const rowOf = (position: Position): PositionRow => ({
  wallet: position.wallet,
  token: position.token,
  shares: BigInt(position.shares),
  cost: BigInt(position.cost),
  realized: BigInt(position.realized),
  bought: BigInt(position.bought),
  sold: BigInt(position.sold),
  redeemed: position.redeemed,
  changed_at: new Date(position.changedAt),
  paid: BigInt(position.paid),
  volume: BigInt(position.volume),
  profit: BigInt(position.profit),
  wins: position.wins,
  losses: position.losses,
  traded_at: position.tradedAt === undefined ? null : new Date(position.tradedAt),
})

export const positionOf = (row: PositionRow): Position => ({
  wallet: row.wallet,
  token: row.token,
  shares: Number(row.shares),
  cost: Number(row.cost),
  realized: Number(row.realized),
  bought: Number(row.bought),
  sold: Number(row.sold),
  redeemed: row.redeemed,
  changedAt: row.changed_at.getTime(),
  paid: Number(row.paid),
  volume: Number(row.volume),
  profit: Number(row.profit),
  wins: row.wins,
  losses: row.losses,
  tradedAt: row.traded_at?.getTime(),
})

const absent = {
  shares: null,
  cost: null,
  realized: null,
  bought: null,
  sold: null,
  redeemed: null,
  changed_at: null,
  paid: null,
  volume: null,
  profit: null,
  wins: null,
  losses: null,
  traded_at: null,
}

/** The positions of these wallets in these tokens, as far as they exist. */
export const loadPositions = (sql: SqlClient, wanted: ReadonlyArray<readonly [number, number]>) =>
  Effect.map(
    sql<PositionRow>`
      select p.* from unnest(${pgArray(
        "int4",
        wanted.map(([wallet]) => wallet),
      )}, ${pgArray(
        "int4",
        wanted.map(([, token]) => token),
      )}) w(wallet, token) join position p using (wallet, token)`,
    (rows) => rows.map(positionOf),
  )

/** Everybody who holds one of these tokens. */
export const loadHolders = (sql: SqlClient, tokens: ReadonlyArray<number>) =>
  Effect.map(
    sql<PositionRow>`select * from position where shares <> 0 and token = any(${pgArray("int4", tokens)})`,
    (rows) => rows.map(positionOf),
  )

export const savePositions = (sql: SqlClient, positions: ReadonlyArray<Position>) => upsert(sql, positions.map(rowOf))

/** Keeps how positions were before a block that may still be replaced. */
export const saveUndo = (
  sql: SqlClient,
  block: number,
  touched: ReadonlyArray<Position>,
  before: (position: Position) => Position | undefined,
) =>
  insertUndo(
    sql,
    touched.map((position) => {
      const earlier = before(position)
      const { wallet, token } = position
      return { block, ...(earlier === undefined ? absent : rowOf(earlier)), wallet, token }
    }),
  )

export const saveEvents = (sql: SqlClient, events: ReadonlyArray<RealizedEvent>) => {
  const counts = new Map<string, number>()
  return insertEvents(
    sql,
    events.map(({ block, logIndex, at, wallet, token, kind, amount }) => {
      const place = `${block}:${logIndex}`
      const sub = counts.get(place) ?? 0
      counts.set(place, sub + 1)
      return {
        block,
        log_index: logIndex,
        sub,
        at: new Date(at),
        wallet,
        token,
        kind: realizedKinds.indexOf(kind),
        amount: BigInt(amount),
      }
    }),
  )
}

/** Makes every position what it was before the blocks after `fork`. */
export const undoPositions = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  yield* sql`
    delete from position p using (
      select distinct on (wallet, token) wallet, token, shares from position_undo
      where block > ${fork} order by wallet, token, block) u
    where p.wallet = u.wallet and p.token = u.token and u.shares is null`
  yield* sql`
    update position p set ${sql.literal(values.map((name) => `${name} = u.${name}`).join(", "))}
    from (
      select distinct on (wallet, token) * from position_undo
      where block > ${fork} order by wallet, token, block) u
    where p.wallet = u.wallet and p.token = u.token and u.shares is not null`
  yield* sql`delete from position_undo where block > ${fork}`
})
