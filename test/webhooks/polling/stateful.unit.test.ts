import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { price, shares, type Usdc, usdc } from "#src/domain/amounts.ts"
import { type LastFill, quietOrders } from "#src/webhooks/polling/orderComplete/quietOrders.ts"
import type { RealizedRow } from "#src/webhooks/polling/pnlChange/PnlStore.ts"
import { isReportedPnl, lastOfEach, pairOf, runningTotals } from "#src/webhooks/polling/pnlChange/runningTotals.ts"
import { followPositions, type ShareFact } from "#src/webhooks/polling/positionStatusChange/followPositions.ts"
import type { Followed } from "#src/webhooks/polling/positionStatusChange/HoldingStore.ts"
import { isReportedPrice, priceOfTrade } from "#src/webhooks/polling/priceChange/priceChange.ts"

/** Where to cut a list of this length. */
const cutsOf = (most: number) => fc.uniqueArray(fc.nat(most), { maxLength: 5 })
const parts = <A>(list: ReadonlyArray<A>, cuts: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<A>> => {
  const ends = [...cuts.filter((cut) => cut < list.length).toSorted((a, b) => a - b), list.length]
  return ends.map((end, place) => list.slice(ends[place - 1] ?? 0, end))
}

describe("quietOrders", () => {
  const quiet = 30
  const fills = fc
    .array(fc.record({ order: fc.integer({ min: 0, max: 3 }), wait: fc.integer({ min: 0, max: 40 }) }), {
      maxLength: 30,
    })
    .map((steps) => {
      let at = 0
      return steps.map(({ order, wait }, place): LastFill => {
        at += wait
        return { orderHash: String(order), seq: BigInt(place), block: at, logIndex: place, at }
      })
    })

  it("gives the same result however the fills are cut into batches", () => {
    fc.assert(
      fc.property(fills, cutsOf(30), fc.nat(100), (all, cuts, later) => {
        const end = (all.at(-1)?.at ?? 0) + later
        const whole = quietOrders(new Map(), all, end, quiet)
        let open: ReadonlyMap<string, LastFill> = new Map()
        const complete: Array<LastFill> = []
        const batches = parts(all, cuts)
        batches.forEach((batch, place) => {
          const now = place === batches.length - 1 ? end : (batch.at(-1)?.at ?? 0)
          const step = quietOrders(open, batch, now, quiet)
          complete.push(...step.complete)
          open = step.open
        })
        const seqs = (some: ReadonlyArray<LastFill>) => some.map(({ seq }) => Number(seq)).toSorted((a, b) => a - b)
        assert.deepStrictEqual(seqs(complete), seqs(whole.complete))
        assert.deepStrictEqual(new Map(open), new Map(whole.open))
      }),
    )
  })

  it("completes orders whose next fill is late or missing", () => {
    fc.assert(
      fc.property(fills, fc.nat(100), (all, later) => {
        const end = (all.at(-1)?.at ?? 0) + later
        const expected = all.filter((fill, place) => {
          const next = all.slice(place + 1).find(({ orderHash }) => orderHash === fill.orderHash)?.at ?? end
          return next - fill.at >= quiet
        })
        assert.sameDeepMembers([...quietOrders(new Map(), all, end, quiet).complete], expected)
      }),
    )
  })
})

describe("isReportedPrice", () => {
  it("reports a change of exactly the minimum percentage of the last price", () => {
    assert.isTrue(isReportedPrice(price(525_000n), price(500_000n), 5))
    assert.isTrue(isReportedPrice(price(475_000n), price(500_000n), 5))
    assert.isFalse(isReportedPrice(price(524_999n), price(500_000n), 5))
    assert.isFalse(isReportedPrice(price(475_001n), price(500_000n), 5))
    assert.isTrue(isReportedPrice(price(300_300n), price(300_000n), 0.1))
    assert.isFalse(isReportedPrice(price(300_299n), price(300_000n), 0.1))
    assert.isTrue(isReportedPrice(price(1n), price(0n), 1_000))
  })

  it("reports every change without a minimum, and the first price only then", () => {
    assert.isTrue(isReportedPrice(price(500_000n), undefined, undefined))
    assert.isFalse(isReportedPrice(price(500_000n), undefined, 1))
    assert.isTrue(isReportedPrice(price(500_001n), price(500_000n), undefined))
    for (const least of [undefined, 0, 1]) assert.isFalse(isReportedPrice(price(500_000n), price(500_000n), least))
  })

  it("agrees with exact fractions for whole percentages", () => {
    const traded = fc.bigInt({ min: 1n, max: 1_000_000n }).map((each) => price(each))
    fc.assert(
      fc.property(traded, traded, fc.integer({ min: 1, max: 100 }), (now, last, pct) => {
        const change = Math.abs(Number(now - last)) * 100
        assert.strictEqual(isReportedPrice(now, last, pct), change >= pct * Number(last))
      }),
    )
  })

  it("priceOfTrade has no price for no shares", () => {
    assert.isUndefined(priceOfTrade(usdc(5n), shares(0n)))
    assert.strictEqual(priceOfTrade(usdc(1n), shares(3n)), 333_333n)
    assert.strictEqual(priceOfTrade(usdc(2n), shares(3n)), 666_667n)
  })
})

describe("runningTotals", () => {
  const rows = fc
    .array(
      fc.record({
        wallet: fc.nat(2),
        token: fc.nat(2),
        amount: fc.bigInt({ min: -9n, max: 9n }).map((each) => usdc(each)),
      }),
      {
        maxLength: 30,
      },
    )
    .map((some) =>
      some.map(
        (one, place): RealizedRow => ({
          ...one,
          block: place,
          log_index: 0,
          sub: 0,
          fact_sub: 0,
          at: new Date(place),
          tx: "",
          ordinal: 0,
          address: "",
          reason: "sale",
        }),
      ),
    )

  it("equals the sum from the beginning, although it is computed from the end", () => {
    fc.assert(
      fc.property(rows, (all) => {
        const sums = new Map<string, Usdc<bigint>>()
        const expected = all.map((row) => {
          const total = usdc((sums.get(pairOf(row)) ?? 0n) + row.amount)
          sums.set(pairOf(row), total)
          return total
        })
        assert.strictEqual(lastOfEach(all).length, sums.size)
        assert.deepStrictEqual(
          runningTotals(all, sums).map(({ total }) => total),
          expected,
        )
      }),
    )
  })

  it("isReportedPnl reports a change of exactly the minimum, and never one of zero", () => {
    assert.deepStrictEqual(
      [
        isReportedPnl(usdc(5n), usdc(5)),
        isReportedPnl(usdc(-5n), usdc(5)),
        isReportedPnl(usdc(4n), usdc(5)),
        isReportedPnl(usdc(0n), undefined),
        isReportedPnl(usdc(0n), usdc(0)),
        isReportedPnl(usdc(1n), undefined),
      ],
      [true, true, false, false, false, true],
    )
  })
})

describe("followPositions", () => {
  const world = fc
    .array(
      fc.record({
        wallet: fc.nat(1),
        token: fc.nat(1),
        delta: fc.integer({ min: -3, max: 3 }),
        kind: fc.constantFrom("fill", "redemption", "transfer", "resolution"),
        isSameBlock: fc.boolean(),
      }),
      { maxLength: 30 },
    )
    .map((steps) => {
      let block = 1
      const resolvedAt = new Map<number, { readonly block: number; readonly logIndex: number }>()
      const facts = steps.map(({ wallet, token, delta, kind, isSameBlock }, logIndex): ShareFact => {
        block += isSameBlock ? 0 : 1
        const isResolution = kind === "resolution" && !resolvedAt.has(token)
        if (isResolution) resolvedAt.set(token, { block, logIndex })
        const moves = isResolution ? [] : [{ wallet, token, delta: shares(BigInt(delta)), since: wallet === 1 ? 3 : 0 }]
        return {
          kind: isResolution || kind !== "resolution" ? kind : "fill",
          block,
          logIndex,
          moves,
          resolved: isResolution ? [token] : [],
        }
      })
      return { facts, resolvedAt }
    })

  it("gives the same result however the facts are cut into batches, and can be undone to any block", () => {
    fc.assert(
      fc.property(world, cutsOf(30), ({ facts, resolvedAt }, cuts) => {
        const whole = followPositions([], facts, resolvedAt)
        const held = new Map<string, Followed>()
        const undo = new Map<string, unknown>()
        const changes = parts(facts, cuts).flatMap((batch) => {
          const step = followPositions(held.values(), batch, resolvedAt)
          for (const [key, holding] of step.holdings) held.set(key, holding)
          for (const [key, row] of step.undo) if (!undo.has(key)) undo.set(key, row)
          return step.changes
        })
        assert.deepStrictEqual(changes, whole.changes)
        assert.deepStrictEqual(held, new Map(whole.holdings))
        assert.deepStrictEqual(undo, new Map(whole.undo))

        for (const fork of new Set(facts.map(({ block }) => block))) {
          const back = new Map(held)
          for (const [, row] of [...whole.undo].filter(([, { block }]) => block > fork).toReversed()) {
            const key = `${row.wallet} ${row.token}`
            const there = back.get(key)
            if (row.shares === null || row.status === null || there === undefined) back.delete(key)
            else back.set(key, { ...there, shares: row.shares, status: row.status })
          }
          const before = followPositions(
            [],
            facts.filter(({ block }) => block <= fork),
            resolvedAt,
          )
          assert.deepStrictEqual(back, new Map(before.holdings))
        }
      }),
    )
  })

  it("skips facts that the seed already includes", () => {
    const move = { wallet: 1, token: 1, delta: shares(5n), since: 7 }
    const fact = (block: number): ShareFact => ({ kind: "fill", block, logIndex: 0, moves: [move], resolved: [] })
    const { changes, holdings } = followPositions([], [fact(7), fact(8)], new Map())
    assert.deepStrictEqual(
      changes.map(({ fact: { block }, from, to, after }) => ({ block, from, to, after })),
      [{ block: 8, from: "none", to: "open", after: 5n }],
    )
    assert.strictEqual(holdings.size, 1)
  })
})
