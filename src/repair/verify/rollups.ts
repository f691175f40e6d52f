import { Effect } from "effect"
import { shareChanges } from "#src/history/shareChanges.ts"
import { tradedDays } from "#src/rollups/RollupStore.ts"
import { check, type VerifySnapshot } from "./Check.ts"

const figures = "trades, buys, shares, usd, buy_usd, open, high, low, close, first, last"
const of = (alias: string) => figures.replaceAll(/\b(\w+)/g, `${alias}.$1`)

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
    where (${sql.literal(of("e"))}) is distinct from (${sql.literal(of("d"))})`
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
  const [wrongDays, wrongSupplies] = [days?.n ?? 0, supplies?.n ?? 0]
  return check(
    "rollups",
    wrongDays + wrongSupplies,
    "volumes and supplies of tokens equal those of the facts",
    `${wrongDays} days of tokens and ${wrongSupplies} supplies differ from the facts`,
  )
})
