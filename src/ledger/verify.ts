import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { recompute } from "#src/positions/recompute.ts"

export interface Check {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

const check = (name: string, wrong: number, good: string, bad: string): Check => ({
  check: name,
  ok: wrong === 0,
  detail: wrong === 0 ? good : bad,
})

/** Computes everything anew that follows from the facts, and says where the ledger has something else. */
export const verifyLedger = Effect.gen(function* () {
  const { exports: sql } = yield* Postgres
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // One picture of everything, however long it takes and whatever is written meanwhile.
      yield* sql`set transaction isolation level repeatable read read only`
      const [cursor] = yield* sql<{ block: number; started_from: number; hash: Uint8Array }>`
        select block, started_from, hash from chain_cursor`
      if (cursor === undefined) return [{ check: "cursor", ok: false, detail: "the chain has not been reached yet" }]
      const [count] = yield* sql<{ beyond: number; unknown: number }>`
        select (select count(*)::int from fill where block > ${cursor.block}) as beyond,
          (select count(*)::int from block where number = ${cursor.block} and hash <> ${cursor.hash}) as unknown`
      const [negative] = yield* sql<{ n: number }>`select count(*)::int as n from position where shares < 0`
      const [unpaired] = yield* sql<{ n: number }>`
        select count(*)::int as n from token t where t.condition is null
          and exists (select 1 from position p where p.token = t.id and p.shares <> 0)`
      // Where nothing was converted and no fee was taken in shares, what all wallets lost is what was charged.
      const unbalanced = yield* sql<{ condition: number }>`
        with settled as (
          select r.condition from resolution r
          where not exists (
            select 1 from token t join fill f on f.token = t.id
            where t.condition = r.condition and f.exchange not in (2, 4))),
        sums as (
          select s.condition,
            (select coalesce(sum(p.realized), 0) from token t join position p on p.token = t.id
              where t.condition = s.condition) as realized,
            (select coalesce(sum(f.fee), 0) from token t join fill f on f.token = t.id
              where t.condition = s.condition) as fees
          from settled s)
        select condition from sums where realized + fees <> 0`
      const book = yield* recompute(sql, cursor.started_from, cursor.block)
      const expected = new Map(book.changed().map((each) => [`${each.wallet},${each.token}`, each]))
      const stored = yield* sql<{
        wallet: number
        token: number
        shares: bigint
        cost: bigint
        realized: bigint
        bought: bigint
        sold: bigint
      }>`select wallet, token, shares, cost, realized, bought, sold from position`
      const differing = stored.filter((row) => {
        const should = expected.get(`${row.wallet},${row.token}`)
        return (
          should === undefined ||
          (["shares", "cost", "realized", "bought", "sold"] as const).some((name) => BigInt(should[name]) !== row[name])
        )
      })
      const [realized] = yield* sql<{ n: number; total: bigint }>`
        select count(*)::int as n, coalesce(sum(amount), 0)::int8 as total from realized_event`
      const events = book.events()
      const total = events.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      const checks: ReadonlyArray<Check> = [
        check(
          "cursor",
          (count?.beyond ?? 0) + (count?.unknown ?? 0),
          `at block ${cursor.block}, nothing beyond it`,
          `${count?.beyond} fills lie beyond block ${cursor.block}, or its hash is another`,
        ),
        check("holdings", negative?.n ?? 0, "nobody holds less than nothing", `${negative?.n} positions are negative`),
        check(
          "tokens",
          unpaired?.n ?? 0,
          "every token held belongs to a condition",
          `${unpaired?.n} tokens held belong to no condition that is known`,
        ),
        check(
          "zero-sum",
          unbalanced.length,
          "resolved markets add up to their fees",
          `${unbalanced.length} resolved markets do not add up to their fees`,
        ),
        check(
          "positions",
          differing.length + Math.abs(expected.size - stored.length),
          `${stored.length} are what the facts say`,
          `${differing.length} of ${stored.length} are not what the facts say (${expected.size} there should be); run: presage rebuild positions`,
        ),
        check(
          "realized",
          Math.abs((realized?.n ?? 0) - events.length) + (realized?.total === total ? 0 : 1),
          `${events.length} gains and losses add up`,
          `${realized?.n} gains and losses are there, ${events.length} there should be`,
        ),
      ]
      return checks
    }),
  )
})
