import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type HoldingRow, holdingsAfter } from "./HoldingStore.ts"

export const insertHoldings = bulkInsert<HoldingRow>({
  table: "webhook_position",
  columns: { wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict (wallet, token) do update set shares = excluded.shares, status = excluded.status",
})

/** Addresses as the ledger stores them. */
export const addressBytes = (addresses: Iterable<string>) =>
  pgArray("bytea", addresses, (address) => Buffer.from(address.slice(2), "hex"))

/** Facts that move shares or resolve their condition. */
export const positionKinds = [
  "fill",
  "split",
  "merge",
  "redemption",
  "conversion",
  "transfer",
  "fee_refund",
  "resolution",
] as const

const chainKinds = [...positionKinds, "block"].map((kind) => `'${kind}'`).join(", ")

/**
 * Starts to follow wallets that are not followed yet, from their positions at the poller's cursor: later facts are
 * applied to them, earlier ones are not reported. In the transaction that writes the webhook, after `raiseRevision`, so
 * that the poller does not move meanwhile.
 */
export const seedWatched = Effect.fnUntraced(function* (sql: SqlClient, addresses: ReadonlyArray<string>) {
  if (addresses.length === 0) return
  const added = yield* sql<{ block: number; id: number | null }>`
    insert into webhook_watched_wallet as n (address, block)
    select a.address, coalesce((
      select least(c.block, coalesce((
        select e.ref::int from webhook_cursor p, lateral (
          select ref from event_log where seq <= p.seq and kind in (${sql.literal(chainKinds)}) order by seq desc limit 1) e
        where p.poller = 'position_status_change'), c.block))
      from chain_cursor c), 0)
    from (select distinct address from unnest(${addressBytes(addresses)}) u(address)) a order by a.address
    on conflict do nothing
    returning n.block, (select w.id from wallet w where w.address = n.address) as id`
  const ids = added.flatMap(({ id }) => (id === null ? [] : [id]))
  const [first] = added
  if (first === undefined || ids.length === 0) return
  yield* insertHoldings(sql, yield* holdingsAfter(sql, ids, first.block))
})
