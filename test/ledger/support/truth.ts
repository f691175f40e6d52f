import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { chargedFees } from "#src/simulator/control/truth/blockRoutes.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { countSteps } from "#test/support/comboSteps.ts"

const names = [
  "shares",
  "cost",
  "realized",
  "bought",
  "sold",
  "paid",
  "volume",
  "profit",
  "wins",
  "losses",
  "traded_at",
] as const

/** Whole numbers of 10⁻⁶, counts, and the second of the newest trade, 0 where there is none. */
type Held = Readonly<Record<(typeof names)[number], bigint>>

const keyOf = (wallet: string, token: string) => `${wallet} ${token}`

interface Traded {
  volume: bigint
  traded_at: bigint
}

/** Trades of each position, by its index in the venue's books. */
const tradesIn = ({ model }: Simulation): ReadonlyMap<number, Traded> => {
  const { facts, clock, venue } = model.world
  const traded = new Map<number, Traded>()
  for (let fill = 0; fill < facts.fills; fill++) {
    const position = venue.books.find(facts.maker.get(fill), facts.fillToken.get(fill))
    const trade = traded.get(position) ?? { volume: 0n, traded_at: 0n }
    trade.volume += BigInt(facts.usd.get(fill))
    trade.traded_at = BigInt(clock.timestampOf(facts.block.get(facts.txOf(fill)) + firstBlock))
    traded.set(position, trade)
  }
  return traded
}

interface Results {
  profit: bigint
  wins: bigint
  losses: bigint
}

/** Gains and losses of each position. */
const resultsIn = ({ model }: Simulation): ReadonlyMap<number, Results> => {
  const { eventPosition, eventAmount } = model.world.venue.books
  const results = new Map<number, Results>()
  for (let event = 0; event < eventAmount.length; event++) {
    const result = results.get(eventPosition.get(event)) ?? { profit: 0n, wins: 0n, losses: 0n }
    const amount = eventAmount.get(event)
    if (amount > 0) {
      result.profit += BigInt(amount)
      result.wins += 1n
    }
    if (amount < 0) result.losses += 1n
    results.set(eventPosition.get(event), result)
  }
  return results
}

/** All positions of the venue's books. */
const positionsIn = (simulation: Simulation): ReadonlyMap<string, Held> => {
  const { model } = simulation
  const { books, tokens } = model.world.venue
  const [trades, results] = [tradesIn(simulation), resultsIn(simulation)]
  const held = new Map<string, Held>()
  for (let position = 0; position < books.shares.length; position++) {
    const wallet = model.wallets[books.walletOf.get(position)]?.address.slice(2) ?? ""
    const token = tokens[books.tokenOf.get(position)]?.hex ?? ""
    held.set(keyOf(wallet, token), {
      shares: BigInt(books.shares.get(position)),
      cost: BigInt(books.cost.get(position)),
      realized: BigInt(books.realized.get(position)),
      bought: BigInt(books.bought.get(position)),
      sold: BigInt(books.sold.get(position)),
      paid: BigInt(books.paid.get(position)),
      ...(trades.get(position) ?? { volume: 0n, traded_at: 0n }),
      ...(results.get(position) ?? { profit: 0n, wins: 0n, losses: 0n }),
    })
  }
  return held
}

const assertFees = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql } = yield* Postgres
  const rows = yield* sql`
    select f.block, '0x' || encode(${sql.literal(transactionSql("f"))}, 'hex') as transaction_hash, '0x' || encode(f.order_hash, 'hex') as order_hash,
      '0x' || encode(w.address, 'hex') as receiver, encode(t.hash, 'hex') as token,
      case when f.in_shares then 'shares' else 'usd' end as fee_in, f.amount::float8, f.usd::float8
    from fee_charge f join wallet w on w.id = f.receiver join token t on t.id = f.token order by f.block, f.log_index`
  const truth = chargedFees(simulation, { first: 0, end: simulation.model.world.facts.length })
  assert.isNotEmpty(truth)
  assert.deepStrictEqual(
    rows.map((row) => ({ ...row })),
    truth.map(({ token_id, ...fee }) => ({ ...fee, token: BigInt(token_id).toString(16).padStart(64, "0") })),
  )
})

/** Asserts that the ledger equals the books of a settled world. */
export const assertEqualsTruth = (simulation: Simulation) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const truth = positionsIn(simulation)
    const rows = yield* sql<Held & { wallet: string; token: string }>`
      select encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, p.shares, p.cost, p.realized, p.bought, p.sold,
        p.paid, p.volume, p.profit, p.wins::int8 as wins, p.losses::int8 as losses,
        coalesce(extract(epoch from p.traded_at), 0)::int8 as traded_at
      from position p join wallet w on w.id = p.wallet join token t on t.id = p.token`
    const ours = new Map(rows.map(({ wallet, token, ...held }) => [keyOf(wallet, token), held]))
    const differing = [...truth].filter(([key, held]) => {
      const found = ours.get(key)
      return found === undefined || names.some((name) => found[name] !== held[name])
    })
    const shown = differing.slice(0, 3).map(([key, held]) => ({ key, truth: held, ours: ours.get(key) }))
    assert.strictEqual(
      differing.length,
      0,
      JSON.stringify(shown, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    )
    assert.deepStrictEqual([...ours.keys()].filter((key) => !truth.has(key)).slice(0, 3), [])

    const { facts, venue } = simulation.model.world
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
      select count(*) as fills, sum(usd) filter (where not is_sale)::int8 as buys,
        sum(usd) filter (where is_sale)::int8 as sells, sum(fee)::int8 as fees from fill`
    assert.deepStrictEqual({ ...totals }, { fills: BigInt(facts.fills), ...sums })
    const payments = yield* sql<{ wallet: string; rewards: bigint; rebates: bigint }>`
      select '0x' || encode(w.address, 'hex') as wallet, coalesce(sum(amount) filter (where purpose = 0), 0)::int8 as rewards,
        coalesce(sum(amount) filter (where purpose = 1), 0)::int8 as rebates
      from maker_payment m join wallet w on w.id = m.wallet group by w.address order by w.address`
    const due = simulation.model.wallets
      .map(({ address }, wallet) => ({
        wallet: address,
        rewards: BigInt(venue.books.rewards.get(wallet)),
        rebates: BigInt(venue.books.rebates.get(wallet)),
      }))
      .filter(({ rewards, rebates }) => rewards + rebates > 0n)
      .toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1))
    assert.deepStrictEqual(
      payments.map((row) => ({ ...row })),
      due,
    )
    const expected: Readonly<Record<string, number>> = {
      maker_payment: count(TxKind.reward) + count(TxKind.rebate),
      split: count(TxKind.split) + countSteps(facts, "split"),
      merge: count(TxKind.merge) + countSteps(facts, "merge"),
      conversion: count(TxKind.convert) + countSteps(facts, "conversion"),
      transfer: count(TxKind.transfer),
      resolution: venue.markets.filter(({ payouts }) => payouts !== undefined).length,
    }
    for (const [table, number] of Object.entries(expected)) {
      const [row] = yield* sql<{ n: number }>`select count(*)::int as n from ${sql(table)}`
      assert.strictEqual(row?.n, number, table)
    }
    const [payouts] = yield* sql<{ paid: bigint | null }>`select sum(payout)::int8 as paid from redemption`
    let paid = 0n
    for (let act = 0; act < facts.length; act++) {
      if (facts.kind.get(act) === TxKind.redeem) paid += BigInt(facts.extra.get(act))
    }
    assert.strictEqual(payouts?.paid ?? 0n, paid)
    const [events] = yield* sql<{ n: number; total: bigint }>`
      select count(*)::int as n, coalesce(sum(amount), 0)::int8 as total from realized_event`
    assert.strictEqual(events?.n, venue.books.eventAmount.length)
    yield* assertFees(simulation)
  })
