import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { shares } from "#src/domain/amounts.ts"
import type { ChainPosition, Fact } from "#src/domain/Fact.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { rebuildPositions } from "#src/repair/rebuild.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertEveryFactPublished } from "./support/folded.ts"
import { ledger as ledgerLayer } from "./support/following.ts"

const hashOf = (block: number, branch: string) => `${branch}${block.toString(16).padStart(62, "0")}`

type Happening = (place: ChainPosition) => Fact

/** Blocks, each with facts by log; `branch` distinguishes forks. */
const batchOf = (
  blocks: Readonly<Record<number, ReadonlyArray<Happening>>>,
  options: { readonly isUndoable: boolean; readonly branch?: string; readonly parent?: string },
): Batch => {
  const { isUndoable, branch = "aa", parent = branch } = options
  const numbers = Object.keys(blocks).map(Number)
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)]
  const all = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  const placeOf = (block: number, logIndex: number): ChainPosition => ({
    block,
    logIndex,
    at: block * 2_000,
    tx: hashOf(block, "dd"),
  })
  return {
    first,
    last: { number: last, hash: hashOf(last, branch) },
    head: 1_000,
    blocks: all.map((number) => ({
      number,
      hash: hashOf(number, branch),
      parent: isUndoable ? hashOf(number - 1, number === first ? parent : branch) : undefined,
      at: number * 2_000,
      logs: blocks[number]?.length ?? 0,
    })),
    facts: all.flatMap((block) => (blocks[block] ?? []).map((happening, i) => happening(placeOf(block, i)))),
    pairs: [{ condition: combo, tokens: [tokenOf(combo, 0), tokenOf(combo, 1)] }],
    isUndoable,
    eventsSince: 0,
    approvals: [],
    blockSummaries: new Map(),
  }
}

const combo = `03${"c0".repeat(16)}`.padEnd(64, "0")
const [first, second] = [1, 2].map((n) => `01${String(n).repeat(32)}`.padEnd(64, "0")) as [string, string]
const legacy = "1e".repeat(32)
const wallet = "ab".repeat(20)
const tokenOf = (condition: string, outcome: 0 | 1) => `${condition.slice(0, 62)}0${outcome}`

const resolution =
  (condition: string, ...payouts: ReadonlyArray<number>): Happening =>
  (place) => ({ kind: "resolution", ...place, sub: 0, condition, payouts })
const listed: ReadonlyArray<Happening> = [
  (place) => ({ kind: "condition_rename", ...place, condition: first, legacy }),
  (place) => ({ kind: "combo", ...place, condition: combo, legs: [tokenOf(first, 0), tokenOf(second, 1)] }),
  (place) => ({
    kind: "split",
    ...place,
    wallet,
    condition: combo,
    tokens: [tokenOf(combo, 0), tokenOf(combo, 1)],
    amount: shares(100),
  }),
]

const comboRows = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ block: number; log_index: number; payouts: string }>`
    select r.block, r.log_index, array_to_string(r.payouts, ' ') as payouts from resolution r
    join condition c on c.id = r.condition where c.hash = ${Buffer.from(combo, "hex")}`
  return rows.map(({ block, log_index, payouts }) => `${block} ${log_index} ${payouts}`)
})

/** What the wallet realized with the combo, by outcome. */
const realized = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ realized: bigint; cost: bigint }>`
    select p.realized, p.cost from position p join token t on t.id = p.token order by t.outcome`
  return rows.map((row) => [Number(row.realized), Number(row.cost)])
})

const failedChecks = Effect.map(verifyLedger, (checks) => checks.filter(({ ok }) => !ok).map(({ check }) => check))

layer(ledgerLayer.pipe(Layer.provideMerge(testFoundation())), {
  excludeTestServices: true,
})("The resolution of a combo", (it) => {
  it.effect("follows from legs of different batches, is retracted with them, and can be rebuilt", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { sql } = yield* Postgres
      const lease = yield* (yield* Leases).seize("chain-follower")
      const append = (batch: Batch) =>
        Effect.flatMap(ledger.prepare(batch), (prepared) => ledger.append(lease, prepared))

      yield* append(batchOf({ 100: listed, 109: [] }, { isUndoable: false }))
      yield* append(batchOf({ 110: [resolution(legacy, 1, 1)], 112: [] }, { isUndoable: true }))
      assert.deepStrictEqual(yield* comboRows, [])

      yield* append(batchOf({ 113: [], 114: [resolution(second, 0, 1)] }, { isUndoable: true }))
      assert.deepStrictEqual(yield* comboRows, ["114 0 500000 500000"])
      assert.deepStrictEqual(yield* realized, [
        [0, 0],
        [0, 0],
      ])
      // The chain repeats the result of the first leg under its newer name.
      yield* append(batchOf({ 115: [resolution(first, 500_000, 500_000)] }, { isUndoable: true }))
      assert.deepStrictEqual(yield* comboRows, ["114 0 500000 500000"])

      yield* ledger.rollback(lease, { number: 112, hash: hashOf(112, "aa") })
      assert.deepStrictEqual(yield* comboRows, [])
      assert.deepStrictEqual(yield* realized, [
        [0, 50],
        [0, 50],
      ])

      yield* append(
        batchOf({ 113: [resolution(second, 1, 0)], 115: [] }, { isUndoable: true, branch: "bb", parent: "aa" }),
      )
      assert.deepStrictEqual(yield* comboRows, ["113 0 0 1000000"])
      assert.deepStrictEqual(yield* realized, [
        [-50, 0],
        [50, 0],
      ])
      yield* assertEveryFactPublished
      assert.deepStrictEqual(yield* failedChecks, [])

      yield* sql`delete from resolution where sub > 0`
      assert.includeMembers([...(yield* failedChecks)], ["combos", "positions"])
      yield* rebuildPositions()
      assert.deepStrictEqual(yield* comboRows, ["113 0 0 1000000"])
      assert.deepStrictEqual(yield* failedChecks, [])
    }),
  )
})
