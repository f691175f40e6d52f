import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import { barsOf } from "#src/rollups/bars.ts"
import { figures } from "#src/rollups/figures.ts"
import { tradedDays } from "#src/rollups/RollupStore.ts"
import { realizedDays } from "#src/rollups/WalletDayStore.ts"
import { check, type VerifySnapshot } from "./Check.ts"

const realized = "realized, profit, wins, losses, events"
const of = (alias: string, figures: string) => figures.replaceAll(/\b(\w+)/g, `${alias}.$1`)

const countedEvents = (sql: SqlClient) =>
  Effect.map(sql<{ to: number }>`select to_block as to from wallet_day_progress`, ([row]) => row?.to ?? 0)

/** Days of tokens against the fills that they were counted from, and supplies against what wallets hold. */
export const checkRollups = Effect.fnUntraced(function* ({ sql, block, factsFrom, isComplete }: VerifySnapshot) {
  const [counted] = yield* sql<{ from: number; to: number }>`
    select greatest(from_block, ${factsFrom}::int) as from, to_block as to from rollup_progress`
  if (counted === undefined) return check("rollups", 0, "nothing is counted yet", "")
  const [days] = yield* sql<{ n: number }>`
    select count(*)::int as n
    from (${tradedDays(sql, counted)}) e
    full join (
      select * from token_day where day >= coalesce((
        select extract(epoch from at)::int / 86400 from block where number >= ${counted.from} order by number limit 1), 0)
    ) d using (token, day)
    where (${sql.literal(of("e", figures))}) is distinct from (${sql.literal(of("d", figures))})`
  const [bars] = yield* sql<{ n: number }>`
    select count(*)::int as n
    from (${barsOf(sql, sql`select * from fill where block between ${counted.from} and ${counted.to}`)}) e
    full join (
      select * from token_bar where at >= coalesce((
        select extract(epoch from at)::int / 86400 * 86400 from block
        where number >= ${counted.from} order by number limit 1), 0)
    ) d using (token, seconds, at)
    where (${sql.literal(of("e", figures))}) is distinct from (${sql.literal(of("d", figures))})`
  // Opening balances are in positions, but not among the facts.
  const [supplies] = isComplete
    ? yield* sql<{ n: number }>`
        select count(*)::int as n
        from (select token, sum(shares) as shares from position group by token) p
        full join (
          select token, sum(shares) as shares from (
            select token, shares from token_supply
            union all select token, shares from (${shareChanges(sql, { from: counted.to + 1, to: block })}) c) parts
          group by token) s using (token)
        where coalesce(p.shares, 0) <> coalesce(s.shares, 0)`
    : []
  const [wallets] = yield* sql<{ n: number }>`
    select count(*)::int as n
    from (${realizedDays(sql, 0, yield* countedEvents(sql))}) e full join wallet_day d using (wallet, day)
    where (${sql.literal(of("e", realized))}) is distinct from (${sql.literal(of("d", realized))})`
  const [wrongDays, wrongBars] = [days?.n ?? 0, bars?.n ?? 0]
  const [wrongSupplies, wrongWallets] = [supplies?.n ?? 0, wallets?.n ?? 0]
  return check(
    "rollups",
    wrongDays + wrongBars + wrongSupplies + wrongWallets,
    "volumes and supplies of tokens and profits of days equal those of the facts",
    `${wrongDays} days and ${wrongBars} bars of tokens, ${wrongSupplies} supplies and ${wrongWallets} days of wallets differ from the facts`,
  )
})
