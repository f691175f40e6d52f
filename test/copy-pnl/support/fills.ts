import { Effect } from "effect"
import { type Address, bytesOf } from "#src/copy-pnl/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** Inserts buys of 1 share at 0.50, one a minute until `last`; creates their partition. */
export const buysOf = (wallet: Address, count: number, last: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`create table if not exists fill_any partition of fill default`
    const [known] = yield* sql<{ id: number }>`
      insert into wallet (address) values (${bytesOf(wallet)})
      on conflict (address) do update set address = excluded.address returning id`
    yield* sql`
      insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
      select 1000000, 500000, 0, (select coalesce(max(block), 0) from fill) + 1 + n, 0, ${Math.floor(last / 1000)}::int - 60 * n,
        ${known?.id ?? 0}, 0, 1, 0, 0, false, '\\x01'
      from generate_series(0, ${count - 1}::int) n`
    return known?.id ?? 0
  })
