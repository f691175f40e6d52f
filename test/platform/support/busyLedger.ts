import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export const wallets = 300
export const markets = 1_500
/** Bytes of an address or hash that ends with a number. */
const bytes = (length: number, n: string) => `decode(lpad(to_hex(${n}), ${2 * length}, '0'), 'hex')`

export const addressOf = (wallet: number) => `0x${wallet.toString(16).padStart(40, "0")}`

/**
 * A ledger in which one wallet traded every market and the others a few each, so that a plan for an average wallet is a bad
 * one for it. Two of three markets are resolved. `now` is the time of the newest block.
 */
export const busyLedger = (now: Date) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const all = markets
    const at = (n: string) => sql.literal(`(timestamptz '${now.toISOString()}' - interval '1 minute' * (${n}))`)
    yield* sql`create table fill_any partition of fill default`
    yield* sql`insert into wallet (address) select ${sql.literal(bytes(20, "n"))} from generate_series(1, ${wallets}::int) n`
    yield* sql`insert into condition (hash) select ${sql.literal(bytes(32, "n"))} from generate_series(1, ${all}::int) n`
    yield* sql`
      insert into token (hash, condition, outcome)
      select ${sql.literal(bytes(32, "2 * n + side"))}, n, side from generate_series(1, ${all}::int) n, generate_series(0, 1) side`
    yield* sql`
      insert into event (id, slug, title, category, tags, active, closed, archived, featured, neg_risk, ends_at)
      select n, 'event-' || n, 'Event ' || n, case when n % 3 = 0 then 'Sports' else 'Crypto' end,
        case when n % 50 = 0 then '["rare", "all"]'::jsonb else '["all"]' end, true, n % 3 > 0, false, false, false, ${at("n")}
      from generate_series(1, ${all}::int) n`
    yield* sql`
      insert into market (id, event, condition, tokens, slug, question, outcomes, prices, active, closed, archived,
        accepting_orders, neg_risk)
      select n, n, n, '[]', 'market-' || n, 'Will it be ' || n || '?', '["Yes", "No"]', '[300000, 700000]', true, n % 3 > 0,
        false, true, false
      from generate_series(1, ${all}::int) n`
    yield* sql`
      insert into block (number, hash, at, logs, transactions, transaction_logs)
      values (1, '\\x01', ${now}, 1, sha256('\\x01'), '{0}')`
    yield* sql`
      insert into chain_cursor (name, block, hash, started_from, head, caught_up_at)
      values ('polygon', 1, '\\x01', 1, 1, now())`
    // Wallet 1 has six fills of every token, the others one of every hundredth.
    yield* sql`
      insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
      select 2000000, 1000000 - k, 0, 1, row_number() over (), extract(epoch from ${at("(t * 7 + k) % 100000")})::int, w, 0, t, 0,
        0, k % 2 = 1, sha256(int4send(t * 10 + k))
      from (
        select 1 as w, t, k from generate_series(1, 2 * ${all}::int) t, generate_series(0, 5) k
        union all
        select w, t, 0 from generate_series(2, ${wallets}::int) w, generate_series(1, 2 * ${all}::int) t
        where (t + w) % 100 = 0) f(w, t, k)`
    yield* sql`
      insert into resolution (block, log_index, at, condition, payouts)
      select 1, n, ${at("n")}, n, '{1,0}' from generate_series(1, ${all}::int) n where n % 3 > 0`
    yield* sql`
      insert into redemption (block, log_index, at, wallet, condition, tokens, shares, payout)
      select 1, 100000 + c, ${at("c")}, 1, c, array[2 * c - 1, 2 * c], '{1000000,1000000}', 1000000
      from generate_series(1, ${all}::int) c where c % 3 = 1`
    yield* sql`
      insert into position (wallet, token, shares, cost, realized, bought, sold, redeemed, changed_at, paid, volume, traded_at)
      select maker, token, case when token % 4 = 0 then 0 else 1000000 end, 500000, 1000, 6000000, 5000000, false,
        to_timestamp(max(at)), 3000000, 6000000, to_timestamp(max(at))
      from fill group by maker, token`
    yield* sql`
      insert into realized_event (block, log_index, sub, at, wallet, token, kind, amount)
      select 1, log_index, 0, to_timestamp(at), maker, token, 0, 1000 from fill where is_sale or maker > 1`
    yield* sql`analyze`
  })
