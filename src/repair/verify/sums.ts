import { Effect } from "effect"
import { exchangeCode } from "#src/dictionary/exchangeCodes.ts"
import { comboDifferences } from "#src/ledger/resolutions/rederive.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { check, type VerifySnapshot } from "./Check.ts"

/** What holds only of a ledger that has the whole history of the venue. */
const partial = (name: string, factsFrom: number) =>
  check(name, 0, `not checked, because facts begin at block ${factsFrom}`, "")

export const checkHoldings = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  // The node could not tell some opening balances.
  const [row] = yield* sql<{ n: number }>`
    select count(*)::int as n from position p where shares < 0 and not exists (
      select from opening_balance o where o.wallet = p.wallet and o.token = p.token and o.shares is null)`
  const negative = row?.n ?? 0
  return check("holdings", negative, "no position is negative", `${negative} positions are negative`)
})

export const checkTokens = Effect.fnUntraced(function* ({ sql, factsFrom, isComplete }: VerifySnapshot) {
  if (!isComplete) return partial("tokens", factsFrom)
  const [row] = yield* sql<{ n: number }>`
    select count(*)::int as n from token t where t.condition is null
      and exists (select 1 from position p where p.token = t.id and p.shares <> 0)`
  const unpaired = row?.n ?? 0
  return check(
    "tokens",
    unpaired,
    "every held token belongs to a condition",
    `${unpaired} held tokens belong to no known condition`,
  )
})

/** The chain logs no results of combos. */
export const checkCombos = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  const { missing, surplus } = yield* comboDifferences(sql)
  const wrong = new Set([...missing.map(({ id }) => id), ...surplus]).size
  return check(
    "combos",
    wrong,
    "results of combos follow from their legs",
    `${wrong} combos have no result or another one than their legs`,
  )
})

/** Exchanges whose tokens are never converted and that charge no fee in shares. */
const zeroSumExchanges = pgArray("int2", [address.ctfExchange2, address.exchange3].map(exchangeCode))

/**
 * Without conversions and fees in shares, the wallets of a market together lose its fees. Sums all conditions at once, because
 * the index on the tokens of fills is missing during a backfill.
 */
export const checkZeroSum = Effect.fnUntraced(function* ({ sql, factsFrom, isComplete }: VerifySnapshot) {
  if (!isComplete) return partial("zero-sum", factsFrom)
  const unbalanced = yield* sql<{ condition: number }>`
    with converted as (select distinct unnest(nos || yeses) as token from conversion),
    settled as (
      select r.condition from resolution r
      where not exists (
        select 1 from token t join fill f on f.token = t.id
        where t.condition = r.condition and not (f.exchange = any(${zeroSumExchanges})))
      and not exists (
        select 1 from token t join converted c on c.token = t.id where t.condition = r.condition)),
    gains as (
      select t.condition, sum(p.realized) as realized from position p join token t on t.id = p.token group by t.condition),
    charges as (
      select t.condition, sum(f.fee) as fees from fill f join token t on t.id = f.token group by t.condition)
    select condition from settled left join gains using (condition) left join charges using (condition)
    where coalesce(realized, 0) + coalesce(fees, 0) <> 0`
  return check(
    "zero-sum",
    unbalanced.length,
    "resolved markets add up to their fees",
    `${unbalanced.length} resolved markets do not add up to their fees`,
  )
})
