import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { chargedFees } from "#src/simulator/control/truth/feeRoutes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { Act, Side } from "#src/simulator/world/Facts.ts"

interface Held {
  readonly shares: bigint
  readonly cost: bigint
  readonly realized: bigint
  readonly bought: bigint
  readonly sold: bigint
}

const keyOf = (wallet: string, token: string) => `${wallet} ${token}`

/** What the venue's own books say of every position. */
const positionsIn = ({ made }: Simulation): ReadonlyMap<string, Held> => {
  const { books, tokens } = made.world.venue
  const held = new Map<string, Held>()
  for (let position = 0; position < books.shares.length; position++) {
    const wallet = made.wallets[books.walletOf.get(position)]?.address.slice(2) ?? ""
    const token = tokens[books.tokenOf.get(position)]?.hex ?? ""
    const [shares, cost, realized, bought, sold] = [
      books.shares,
      books.cost,
      books.realized,
      books.bought,
      books.sold,
    ].map((column) => BigInt(column.get(position))) as [bigint, bigint, bigint, bigint, bigint]
    held.set(keyOf(wallet, token), { shares, cost, realized, bought, sold })
  }
  return held
}

const assertFees = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql } = yield* Postgres
  const rows = yield* sql`
    select f.block, '0x' || encode(f.tx, 'hex') as transaction_hash, '0x' || encode(f.order_hash, 'hex') as order_hash,
      '0x' || encode(w.address, 'hex') as receiver, encode(t.hash, 'hex') as token,
      case when f.in_shares then 'shares' else 'usd' end as fee_in, f.amount::float8, f.usd::float8
    from fee_charge f join wallet w on w.id = f.receiver join token t on t.id = f.token order by f.block, f.log_index`
  const truth = chargedFees(simulation, { first: 0, end: simulation.made.world.facts.length })
  assert.isNotEmpty(truth)
  assert.deepStrictEqual(
    rows.map((row) => ({ ...row })),
    truth.map(({ token_id, ...fee }) => ({ ...fee, token: BigInt(token_id).toString(16).padStart(64, "0") })),
  )
})

/** Compares everything that the ledger holds with the books of a settled world; nothing may differ. */
export const assertEqualsTruth = (simulation: Simulation) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const truth = positionsIn(simulation)
    const rows = yield* sql<Held & { wallet: string; token: string }>`
      select encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, p.shares, p.cost, p.realized, p.bought, p.sold
      from position p join wallet w on w.id = p.wallet join token t on t.id = p.token`
    const ours = new Map(rows.map(({ wallet, token, ...held }) => [keyOf(wallet, token), held]))
    const differing = [...truth].filter(([key, held]) => {
      const found = ours.get(key)
      return (
        found === undefined ||
        (["shares", "cost", "realized", "bought", "sold"] as const).some((name) => found[name] !== held[name])
      )
    })
    const shown = differing.slice(0, 3).map(([key, held]) => ({ key, truth: held, ours: ours.get(key) }))
    assert.strictEqual(
      differing.length,
      0,
      JSON.stringify(shown, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    )
    assert.deepStrictEqual([...ours.keys()].filter((key) => !truth.has(key)).slice(0, 3), [])

    const { facts, venue } = simulation.made.world
    const count = (kind: number) => {
      let total = 0
      for (let act = 0; act < facts.length; act++) if (facts.kind.get(act) === kind) total += 1
      return total
    }
    const sums = { buys: 0n, sells: 0n, fees: 0n }
    for (let fill = 0; fill < facts.fills; fill++) {
      if (facts.side.get(fill) === Side.buy) sums.buys += BigInt(facts.usd.get(fill))
      else sums.sells += BigInt(facts.usd.get(fill))
      sums.fees += BigInt(facts.fee.get(fill))
    }
    const [totals] = yield* sql<Record<string, bigint>>`
      select count(*) as fills, sum(usd) filter (where side = 0)::int8 as buys,
        sum(usd) filter (where side = 1)::int8 as sells, sum(fee)::int8 as fees from fill`
    assert.deepStrictEqual({ ...totals }, { fills: BigInt(facts.fills), ...sums })
    const expected: Readonly<Record<string, number>> = {
      split: count(Act.split),
      merge: count(Act.merge),
      conversion: count(Act.convert),
      transfer: count(Act.transfer),
      resolution: count(Act.resolve),
    }
    for (const [table, number] of Object.entries(expected)) {
      const [row] = yield* sql<{ n: number }>`select count(*)::int as n from ${sql(table)}`
      assert.strictEqual(row?.n, number, table)
    }
    const [payouts] = yield* sql<{ paid: bigint | null }>`select sum(payout)::int8 as paid from redemption`
    let paid = 0n
    for (let act = 0; act < facts.length; act++) {
      if (facts.kind.get(act) === Act.redeem) paid += BigInt(facts.extra.get(act))
    }
    assert.strictEqual(payouts?.paid ?? 0n, paid)
    const [events] = yield* sql<{ n: number; total: bigint }>`
      select count(*)::int as n, coalesce(sum(amount), 0)::int8 as total from realized_event`
    assert.strictEqual(events?.n, venue.books.eventAmount.length)
    yield* assertFees(simulation)
  })
