import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { hashBytes } from "../hashBytes.ts"
import type { HoldingRow } from "./HoldingStore.ts"

/** Positions that the poller has changed meanwhile are newer. */
const insertSeed = bulkInsert<HoldingRow>({
  table: "webhook_position",
  columns: { wallet: "int4", token: "int4", shares: "int8", status: "text" },
  suffix: "on conflict do nothing",
})

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
 * Starts to follow wallets that are not followed yet, from the poller's cursor: later facts are applied to their positions,
 * earlier ones are not reported. In the transaction that writes the webhook, after `raiseRevision`, so that the poller
 * does not move meanwhile. A job copies the positions that they have.
 */
export const startFollowing = Effect.fnUntraced(function* (sql: SqlClient, addresses: ReadonlyArray<string>) {
  if (addresses.length === 0) return
  yield* sql`
    insert into webhook_watched_wallet (address, block, seeded)
    select a.address, coalesce((
      select least(c.block, coalesce((
        select e.ref::int from webhook_cursor p, lateral (
          select ref from event_log where seq <= p.seq and kind in (${sql.literal(chainKinds)}) order by seq desc limit 1) e
        where p.poller = 'position_status_change'), c.block))
      from chain_cursor c), 0),
      not exists (select 1 from wallet w join position p on p.wallet = w.id where w.address = a.address)
    from (select distinct address from unnest(${hashBytes(addresses)}) u(address)) a order by a.address
    on conflict do nothing`
})

/** Wallets that wait for their positions. */
export const unseeded = (sql: SqlClient, limit: number) => sql<{ wallet: string }>`
  select '0x' || encode(address, 'hex') as wallet from webhook_watched_wallet where not seeded order by address limit ${limit}`

export interface UnseededWallet {
  /** Null if a reorganisation retracted all that the ledger knew of it. */
  readonly id: number | null
  /** The block since which it is followed. */
  readonly block: number
}

/** Undefined if its positions are there, or it is not followed any more. */
export const findUnseeded = (sql: SqlClient, address: string) =>
  Effect.map(
    sql<UnseededWallet>`
      select w.id, x.block from webhook_watched_wallet x left join wallet w on w.address = x.address
      where x.address = any(${hashBytes([address])}) and not x.seeded`,
    ([row]) => row,
  )

/** A wallet's positions after a token. */
export const positionsOf = (sql: SqlClient, wallet: number | null, after: number, limit: number) => sql<{
  wallet: number
  token: number
}>`
  select wallet, token from position where wallet = ${wallet}::int and token > ${after}::int order by token limit ${limit}`

/**
 * Copies positions, and says when they are the last. False if the wallet is followed from another block by now, or not
 * at all. In a transaction.
 */
export const saveSeed = Effect.fnUntraced(function* (
  sql: SqlClient,
  address: string,
  { block }: UnseededWallet,
  { held, isLast }: { readonly held: ReadonlyArray<HoldingRow>; readonly isLast: boolean },
) {
  const still = yield* sql`
    update webhook_watched_wallet set seeded = ${isLast}
    where address = any(${hashBytes([address])}) and block = ${block}::int and not seeded returning 1`
  if (still.length === 0) return false
  yield* insertSeed(sql, held)
  return true
})
