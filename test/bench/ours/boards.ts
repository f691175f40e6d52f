import { readFileSync } from "node:fs"
import { deserialize } from "node:v8"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { foundation } from "#src/roles/Foundation.ts"
import type { BoardsSubject, Sizes } from "../support/boards.ts"
import { expose } from "../support/expose.ts"
import { nextBlocksFile } from "../support/largeLedger.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(
  Ledger.layer.pipe(
    Layer.provide(leaderboardRollback),
    Layer.provideMerge(Dictionary.layer),
    Layer.provideMerge(foundation),
    Layer.provideMerge(configuration()),
  ),
)
const { store, postgres, lease } = await runtime.runPromise(
  Effect.gen(function* () {
    const lease = yield* (yield* Leases).seize("chain-follower")
    return { store: yield* Ledger, postgres: yield* Postgres, lease }
  }),
)
const { sql, exports } = postgres
const next: ReadonlyArray<Batch> = deserialize(readFileSync(nextBlocksFile))

const timed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const since = performance.now()
    const value = yield* work
    return { value, millis: performance.now() - since }
  })

const refreshed = (expected: string) =>
  Effect.gen(function* () {
    const { value, millis } = yield* timed(refreshLeaderboards)
    if (value !== expected)
      return yield* Effect.die(new Error(`expected the boards to be ${expected}, but they are ${value}`))
    return millis
  })

const cursor = Effect.map(store.cursor, (found) => (Option.isSome(found) ? found.value.block : 0))

const parentOf = (first: Batch): Effect.Effect<Batch["last"]> => {
  const parent = first.blocks[0]?.parent
  return parent === undefined
    ? Effect.die(new Error("the first of the next blocks has no parent"))
    : Effect.succeed({ number: first.last.number - 1, hash: parent })
}

/** Rolls back to the block before this one. */
const rollbackBefore = (index: number) =>
  Effect.gen(function* () {
    const batch = next[index]
    if (batch === undefined) return yield* Effect.die(new Error("no such block"))
    yield* store.rollback(lease, yield* parentOf(batch))
  })

/** Index of the next block to append. */
const nextIndex = Effect.map(cursor, (block) => block - (next[0]?.last.number ?? 0) + 1)

const append = Effect.fnUntraced(function* (count: number) {
  const from = yield* nextIndex
  const batches = next.slice(from, from + count)
  if (batches.length < count) return yield* Effect.die(new Error("no blocks left"))
  for (const batch of batches) yield* store.append(lease, yield* store.prepare(batch))
  return batches.reduce((sum, { facts }) => sum + facts.filter(({ kind }) => kind === "fill").length, 0)
})

const sizes = Effect.gen(function* () {
  const [row] = yield* exports<Sizes>`
    select (select count(*) from fill)::float8 as fills, (select count(*) from realized_event)::float8 as events,
      (select count(*) from position)::float8 as positions, (select count(*) from wallet)::float8 as wallets,
      ((select count(*) from leaderboard_rolling) + (select count(*) from leaderboard_standing))::float8 as rows`
  return row ?? { fills: 0, events: 0, positions: 0, wallets: 0, rows: 0 }
})

let isAdvancing = false
let advancing: Promise<number> | undefined

const advanceUntilStopped = async (blocks: number) => {
  let times = 0
  while (isAdvancing && (await runtime.runPromise(nextIndex)) + blocks <= next.length) {
    await runtime.runPromise(Effect.andThen(append(blocks), refreshed("advanced")))
    times += 1
  }
  return times
}

expose<BoardsSubject>({
  restore: () =>
    runtime.runPromise(Effect.flatMap(nextIndex, (index) => (index > 0 ? rollbackBefore(0) : Effect.void))),
  sizes: () => runtime.runPromise(sizes),
  rebuild: () =>
    runtime.runPromise(
      Effect.andThen(
        sql`delete from leaderboard_state`,
        Effect.map(refreshed("rebuilt"), (millis) => millis / 1000),
      ),
    ),
  advance: (blocks) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const fills = yield* append(blocks)
        return { fills, millis: yield* refreshed("advanced") }
      }),
    ),
  retract: (blocks) =>
    runtime.runPromise(
      Effect.gen(function* () {
        yield* rollbackBefore((yield* nextIndex) - blocks)
        return yield* refreshed("advanced")
      }),
    ),
  startAdvancing: async (blocks) => {
    isAdvancing = true
    advancing = advanceUntilStopped(blocks)
  },
  stop: async () => {
    isAdvancing = false
    return (await advancing) ?? 0
  },
  scopes: () =>
    runtime.runPromise(
      sql<{ kind: "category" | "tag"; value: string }>`
        select s.kind, s.value from leaderboard_scope s join leaderboard_count c on c.scope = s.id and c.days = 30
        order by c.wallets desc`,
    ),
})
