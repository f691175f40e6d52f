import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { transactionSql } from "#src/dictionary/factSql.ts"
import type { Usdc } from "#src/domain/amounts.ts"
import type { FactRow } from "#src/feed/rows.ts"
import { type RealizedKind, realizedKinds } from "#src/ledger/positions/model.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../../model.ts"
import { ordinalSql } from "../factPositions.ts"

/** The fact that each kind of realized amount comes from. */
export const factOf: Readonly<Record<RealizedKind, "fill" | "merge" | "fee_refund" | "resolution">> = {
  sale: "fill",
  merge: "merge",
  refund: "fee_refund",
  resolution: "resolution",
}
export const realizingKinds = Object.values(factOf)

/** A realized profit or loss. */
export interface RealizedRow extends FactRow {
  readonly sub: number
  /** Index of the fact within its log. */
  readonly fact_sub: number
  readonly ordinal: number
  readonly wallet: number
  readonly address: string
  readonly token: number
  readonly reason: RealizedKind
  readonly amount: Usdc<bigint>
}

/** The total that a webhook was sent last, or that the first change is compared with. */
export interface LastRealized {
  readonly webhook: WebhookId
  readonly wallet: number
  readonly token: number
  readonly realized: Usdc<bigint>
}

export type LastRealizedKey = Omit<LastRealized, "realized">

const upsert = bulkInsert<LastRealized>({
  table: "webhook_pnl",
  columns: { webhook: "text", wallet: "int4", token: "int4", realized: "int8" },
  suffix: "on conflict (webhook, wallet, token) do update set realized = excluded.realized",
})

const reasons = realizedKinds.map((kind, code) => `when ${code} then '${kind}'`).join(" ")
const facts = realizedKinds.map((kind, code) => `when ${code} then '${factOf[kind]}'`).join(" ")

/** A log may resolve several conditions. */
const factSub = `coalesce((
  select f.sub from resolution f join token t on t.condition = f.condition
  where t.id = r.token and f.block = r.block and f.log_index = r.log_index), 0)`

/** Wallets that realized anything in some blocks. */
export const realizers = (sql: SqlClient, blocks: ReadonlyArray<number>) => sql<{
  readonly id: number
  readonly address: string
}>`
  select w.id, '0x' || encode(w.address, 'hex') as address from wallet w
  where w.id in (select r.wallet from realized_event r where r.block = any(${pgArray("int4", blocks)}))`

/** Realized amounts of wallets in some blocks, in chain order. */
export const realized = (sql: SqlClient, blocks: ReadonlyArray<number>, wallets: ReadonlyArray<number>) =>
  sql<RealizedRow>`
    select e.block, e.log_index, e.event_sub as sub, e.sub as fact_sub, e.at, encode(e.tx, 'hex') as tx, ${ordinalSql(sql, "e", realizingKinds)} as ordinal,
      e.wallet, e.address, e.token, e.reason, e.amount
    from (
      select r.block, r.log_index, r.sub as event_sub, ${sql.literal(factSub)} as sub, r.at, r.wallet, '0x' || encode(w.address, 'hex') as address, r.token, r.amount,
        case r.kind ${sql.literal(reasons)} end as reason, case r.kind ${sql.literal(facts)} end as kind,
        ${sql.literal(transactionSql("r"))} as tx
      from realized_event r join wallet w on w.id = r.wallet
      where r.block = any(${pgArray("int4", blocks)}) and r.wallet = any(${pgArray("int4", wallets)})) e
    where e.tx is not null
    order by e.block, e.log_index, e.event_sub`

/** The total realized up to and including each event, one per wallet and token: today's total less what came after. */
export const totals = (sql: SqlClient, last: ReadonlyArray<RealizedRow>) => {
  const events = unnest(sql, "u", last, {
    wallet: ["int4", (row) => row.wallet],
    token: ["int4", (row) => row.token],
    at: ["timestamptz", (row) => row.at],
    block: ["int4", (row) => row.block],
    log_index: ["int4", (row) => row.log_index],
    sub: ["int4", (row) => row.sub],
  })
  return sql<Pick<LastRealized, "wallet" | "token"> & { readonly total: Usdc<bigint> }>`
    select p.wallet, p.token, (p.realized - coalesce((
      select sum(l.amount) from realized_event l
      where l.wallet = u.wallet and l.token = u.token and l.at >= u.at
        and (l.block, l.log_index, l.sub) > (u.block, u.log_index, u.sub)), 0))::int8 as total
    from ${events} join position p using (wallet, token)`
}

export const last = (sql: SqlClient, keys: ReadonlyArray<LastRealizedKey>) => {
  const rows = unnest(sql, "u", keys, {
    webhook: ["text", (key) => key.webhook],
    wallet: ["int4", (key) => key.wallet],
    token: ["int4", (key) => key.token],
  })
  return sql<LastRealized>`
    select p.webhook, p.wallet, p.token, p.realized from ${rows} join webhook_pnl p using (webhook, wallet, token)`
}

export const save = (sql: SqlClient, rows: ReadonlyArray<LastRealized>) => Effect.asVoid(upsert(sql, rows))
