import { Effect } from "effect"
import type { PlaceRow } from "#src/feed/rows.ts"
import { type RealizedKind, realizedKinds } from "#src/ledger/positions/model.ts"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { WebhookId } from "../../model.ts"
import { ordinalOf } from "../factPlace.ts"

/** Which fact each kind of gain comes from. */
export const factOf: Readonly<Record<RealizedKind, "fill" | "merge" | "fee_refund" | "resolution">> = {
  sale: "fill",
  merge: "merge",
  refund: "fee_refund",
  resolution: "resolution",
}
export const realizingKinds = Object.values(factOf)

/** A gain or a loss of somebody. */
export interface RealizedRow extends PlaceRow {
  readonly sub: number
  readonly ordinal: number
  readonly wallet: number
  readonly address: string
  readonly token: number
  readonly reason: RealizedKind
  readonly amount: bigint
}

/** What a webhook was told last, or is compared with first. */
export interface LastRealized {
  readonly webhook: WebhookId
  readonly wallet: number
  readonly token: number
  readonly realized: bigint
}

const upsert = bulkInsert<LastRealized>({
  table: "webhook_pnl",
  columns: { webhook: "text", wallet: "int4", token: "int4", realized: "int8" },
  suffix: "on conflict (webhook, wallet, token) do update set realized = excluded.realized",
})

const reasons = realizedKinds.map((kind, code) => `when ${code} then '${kind}'`).join(" ")
const facts = realizedKinds.map((kind, code) => `when ${code} then '${factOf[kind]}'`).join(" ")
const transactions = realizedKinds
  .map(
    (kind, code) => `when ${code} then (
      select f.tx from ${factOf[kind]} f where f.block = r.block and f.log_index = r.log_index and f.at = r.at)`,
  )
  .join(" ")

export const pnlStore = ({ sql, reads }: Postgres["Service"]) => ({
  /** Who realized anything in some blocks. */
  realizers: (blocks: ReadonlyArray<number>) => reads<{ readonly id: number; readonly address: string }>`
    select w.id, '0x' || encode(w.address, 'hex') as address from wallet w
    where w.id in (select r.wallet from realized_event r where r.block = any(${pgArray("int4", blocks)}))`,

  /** What these wallets realized in some blocks, in the order of the chain. */
  realized: (blocks: ReadonlyArray<number>, wallets: ReadonlyArray<number>) => reads<RealizedRow>`
    select e.block, e.log_index, e.sub, e.at, encode(e.tx, 'hex') as tx, ${ordinalOf(reads, "e", realizingKinds)} as ordinal,
      e.wallet, e.address, e.token, e.reason, e.amount
    from (
      select r.block, r.log_index, r.sub, r.at, r.wallet, '0x' || encode(w.address, 'hex') as address, r.token, r.amount,
        case r.kind ${reads.literal(reasons)} end as reason, case r.kind ${reads.literal(facts)} end as kind,
        case r.kind ${reads.literal(transactions)} end as tx
      from realized_event r join wallet w on w.id = r.wallet
      where r.block = any(${pgArray("int4", blocks)}) and r.wallet = any(${pgArray("int4", wallets)})) e
    where e.tx is not null
    order by e.block, e.log_index, e.sub`,

  /** Everything realized up to and including some events, one of each wallet and token: all, less what came after. */
  totals: (last: ReadonlyArray<RealizedRow>) => {
    const column = (type: "int4" | "timestamptz", of: (row: RealizedRow) => unknown) => pgArray(type, last.map(of))
    return reads<Pick<LastRealized, "wallet" | "token"> & { readonly total: bigint }>`
      select p.wallet, p.token, (p.realized - coalesce((
        select sum(l.amount) from realized_event l
        where l.wallet = u.wallet and l.token = u.token and l.at >= u.at
          and (l.block, l.log_index, l.sub) > (u.block, u.log_index, u.sub)), 0))::int8 as total
      from unnest(${column("int4", (row) => row.wallet)}, ${column("int4", (row) => row.token)},
        ${column("timestamptz", (row) => row.at)}, ${column("int4", (row) => row.block)},
        ${column("int4", (row) => row.log_index)}, ${column("int4", (row) => row.sub)})
        u(wallet, token, at, block, log_index, sub)
      join position p using (wallet, token)`
  },

  last: (wanted: ReadonlyArray<Omit<LastRealized, "realized">>) => {
    const column = (type: "int4" | "text", of: (row: Omit<LastRealized, "realized">) => unknown) =>
      pgArray(type, wanted.map(of))
    return reads<LastRealized>`
      select p.webhook, p.wallet, p.token, p.realized
      from unnest(${column("text", (row) => row.webhook)}, ${column("int4", (row) => row.wallet)},
        ${column("int4", (row) => row.token)}) u(webhook, wallet, token)
      join webhook_pnl p using (webhook, wallet, token)`
  },
  keep: (told: ReadonlyArray<LastRealized>) => Effect.asVoid(upsert(sql, told)),
})
