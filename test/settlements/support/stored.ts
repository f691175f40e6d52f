import { Effect } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { EventLog, type LoggedEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { SettlementStatus } from "#src/settlements/model.ts"

export interface StoredSettlement {
  readonly id: bigint
  readonly tx: string
  readonly status: SettlementStatus
  readonly block: number | null
  readonly waits: boolean
}

export const settlements = Effect.flatMap(
  Postgres,
  ({ sql }) => sql<StoredSettlement>`
    select id, encode(tx, 'hex') as tx, (array['pending', 'confirmed', 'dropped'])[status + 1] as status, block,
      waits_since is not null as waits
    from settlement order by id`,
)

const order = `
  encode(w.address, 'hex') || ' ' || encode(t.hash, 'hex') || ' ' || o.side || ' ' || o.shares || ' ' || o.usd
    || ' ' || o.fee || ' ' || coalesce(encode(b.code, 'hex'), '') || ' ' || `
const named = `
  join wallet w on w.id = o.maker join token t on t.id = o.token left join builder b on b.id = o.builder`

/** The orders of every settlement as text, by transaction; the taker's ends in "taker". */
export const ordersSeen = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql<{ tx: string; orders: ReadonlyArray<string> }>`
      select encode(s.tx, 'hex') as tx,
        array_agg(${sql.literal(order)} case o.place when 0 then 'taker' else 'maker' end order by 1) as orders
      from settlement s join settlement_order o on o.settlement = s.id ${sql.literal(named)} group by s.tx`,
    (rows) => new Map(rows.map(({ tx, orders }) => [tx, [...orders].sort()])),
  ),
)

/** The same for the fills in the ledger, with their block. */
export const fillsOf = (txs: ReadonlyArray<string>) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<{ tx: string; block: number; orders: ReadonlyArray<string> }>`
        select encode(f.tx, 'hex') as tx, f.block, array_agg(f.text) as orders from (
          select ${sql.literal(transactionSql("o"))} as tx, o.block,
            ${sql.literal(order)} case o.taker when 0 then 'taker' else 'maker' end as text
          from (select *, is_sale::int as side from fill) o ${sql.literal(named)}) f
        where encode(f.tx, 'hex') = any(${[...txs, ""]}::text[]) group by f.tx, f.block`,
      (rows) => new Map(rows.map(({ tx, block, orders }) => [tx, { block, orders: [...orders].sort() }])),
    ),
  )

export interface Change {
  readonly status: SettlementStatus
  readonly block: number | null
  readonly at: number
}

/** The published statuses of every settlement, in order; the first event counts as pending. */
export const published = Effect.gen(function* () {
  const log = yield* EventLog
  const all = new Map<bigint, Array<Change>>()
  const changeOf = ({ kind, data, recordedAt }: LoggedEvent): Change =>
    kind === "settlement" ? { status: "pending", block: null, at: recordedAt } : (data as Change)
  for (let after = 0n; ; ) {
    const page = yield* log.read({ after, limit: 5_000, kinds: ["settlement", "settlement_status"] })
    for (const event of page) {
      const id = event.ref ?? -1n
      all.set(id, [...(all.get(id) ?? []), changeOf(event)])
      after = event.seq
    }
    if (page.length === 0) return all
  }
})

export const statuses = (changes: ReadonlyArray<Change> | undefined) => changes?.map(({ status }) => status) ?? []
