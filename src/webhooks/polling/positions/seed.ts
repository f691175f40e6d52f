import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { type HoldingRow, holdingsAfter } from "./HoldingStore.ts"

export const insertHoldings = bulkInsert<HoldingRow>({
  table: "webhook_position",
  columns: { wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict (wallet, token) do update set shares = excluded.shares, status = excluded.status",
})

/** Addresses as they are written at the edge, as the ledger keeps them. */
export const addressBytes = (addresses: Iterable<string>) =>
  pgArray(
    "bytea",
    Array.from(addresses, (address) => Buffer.from(address.slice(2), "hex")),
  )

/** Facts that move shares, or say what they are worth. */
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

const ofChain = [...positionKinds, "block"].map((kind) => `'${kind}'`).join(", ")

/**
 * Begins to follow the positions of wallets that are not followed yet, from how they stood where the poller is in the
 * log: what it still has to read it applies to them, and what they did before is not told. In the transaction that writes
 * the webhook, after `raiseRevision`, so that the poller does not move meanwhile.
 */
export const seedWatched = Effect.fnUntraced(function* (sql: SqlClient, addresses: ReadonlyArray<string>) {
  if (addresses.length === 0) return
  const fresh = yield* sql<{ block: number; id: number | null }>`
    insert into webhook_watched_wallet as n (address, block)
    select a.address, coalesce((
      select least(c.block, coalesce((
        select e.ref::int from webhook_cursor p, lateral (
          select ref from event_log where seq <= p.seq and kind in (${sql.literal(ofChain)}) order by seq desc limit 1) e
        where p.poller = 'position_status_change'), c.block))
      from chain_cursor c), 0)
    from (select distinct address from unnest(${addressBytes(addresses)}) u(address)) a order by a.address
    on conflict do nothing
    returning n.block, (select w.id from wallet w where w.address = n.address) as id`
  const ids = fresh.flatMap(({ id }) => (id === null ? [] : [id]))
  const [first] = fresh
  if (first === undefined || ids.length === 0) return
  yield* insertHoldings(sql, yield* holdingsAfter(sql, ids, first.block))
})
