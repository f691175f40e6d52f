import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventLogRelay } from "#actors/eventLogRelay.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { followLog } from "#src/mesh/followLog.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Stores } from "#src/roles/Stores.ts"
import { eventually } from "#test/support/eventually.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { testFoundation } from "#test/support/TestStores.ts"

layer(testFoundation({ "event-log.tail": "100" }), { excludeTestServices: true })("EventTail and its relay", (it) => {
  const relay = eventLogRelay.pipe(
    Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
  )
  const append = (kind: string, count: number) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const { tx } = yield* Postgres
      yield* tx(log.append(Array.from({ length: count }, (_, i) => ({ kind, ref: BigInt(i), sub: i, data: { i } }))))
      return yield* log.head
    })
  const caughtUp = (head: bigint) =>
    Effect.flatMap(EventTail, (tail) =>
      eventually(
        `the tail reaches ${head}`,
        Effect.map(tail.last, (last) => last === head),
      ),
    )

  it.effect("the relay copies the log in order and refills a wiped Redis, also when there are no new events", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const tail = yield* EventTail
      const redis = yield* Redis
      const before = yield* append("before", 20)
      yield* Effect.gen(function* () {
        yield* caughtUp(before)
        yield* caughtUp(yield* append("live", 30))
        assert.deepStrictEqual(yield* tail.read(0n, 1000), yield* log.read({ after: 0n, limit: 1000 }))
        const wipe = redis.run((client) => client.del(keys(redis.prefix).events, keys(redis.prefix).eventsOwner))
        yield* wipe
        const head = yield* append("after", 200)
        yield* caughtUp(head)
        // Only the newest part fits, and it has no gap.
        const kept = yield* tail.read(0n, 1000)
        const newest = yield* log.read({ after: (kept[0]?.seq ?? 0n) - 1n, limit: 1000 })
        assert.isAtLeast(kept.length, 100)
        assert.deepStrictEqual(kept, newest)
        yield* wipe
        yield* caughtUp(head)
      }).pipe(Effect.provide(relay))
    }),
  )

  it.effect("the tail refuses a replaced relay and one that is not up to date", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const tail = yield* EventTail
      yield* append("more", 5)
      const last = yield* tail.last
      const events = yield* log.read({ after: last, limit: 5 })
      assert.isFalse(yield* tail.push({ epoch: 1000n, after: last - 1n, events }))
      assert.isTrue(yield* tail.push({ epoch: 1000n, after: last, events }))
      const refused = yield* Effect.flip(tail.push({ epoch: 999n, after: yield* tail.last, events }))
      assert.strictEqual(refused._tag, "RelayReplaced")
    }),
  )

  it.effect("a replaced or restored database does not inherit the old tail", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const old = yield* EventTail
      assert.isAbove(Number(yield* old.last), 0)
      const replaced = Layer.succeed(EventLog, { ...log, identity: "another database" })
      yield* Effect.gen(function* () {
        const tail = yield* EventTail
        assert.strictEqual(yield* tail.last, 0n)
        const events = yield* log.read({ after: 0n, limit: 3 })
        assert.isTrue(yield* tail.push({ epoch: 1n, after: 0n, events }))
        assert.deepStrictEqual(yield* tail.read(0n, 1000), events)
      }).pipe(Effect.provide(Layer.fresh(EventTail.layer).pipe(Layer.provide(replaced))))
    }),
  )

  it.effect("the relay waits while a first history is read, and log followers still get every event", () =>
    Effect.gen(function* () {
      const tail = yield* EventTail
      const log = yield* EventLog
      const { sql } = yield* Postgres
      yield* Effect.flatMap(append("earlier", 5), caughtUp).pipe(Effect.provide(relay))
      yield* sql`
        insert into chain_cursor (name, block, hash, started_from, head) values ('polygon', 1, '\\x01', 1, 9)`
      const [before, start] = [yield* tail.last, yield* log.head]
      const receivedUpTo = Effect.fnUntraced(function* (head: bigint) {
        const received: Array<bigint> = []
        const follow = followLog(start, (events) => Effect.sync(() => received.push(...events.map(({ seq }) => seq))))
        const allReceived = eventually(
          `events up to ${head} were received`,
          Effect.sync(() => received.at(-1) === head),
        )
        yield* Effect.scoped(Effect.raceFirst(follow, allReceived))
        return received
      })
      const since = (after: bigint) =>
        Effect.map(log.read({ after, limit: 1000 }), (events) => events.map(({ seq }) => seq))
      yield* Effect.gen(function* () {
        const head = yield* append("history", 300)
        assert.deepStrictEqual(yield* receivedUpTo(head), yield* since(start))
        assert.strictEqual(yield* tail.last, before)
        yield* historyRead
        yield* caughtUp(head)
        // Only what fits was copied; followers still got the rest from the log.
        assert.deepStrictEqual(
          (yield* tail.read(before, 1000)).map(({ seq }) => seq),
          yield* since(yield* log.before(100)),
        )
        assert.deepStrictEqual(yield* receivedUpTo(head), yield* since(start))
        yield* caughtUp(yield* append("live", 3))
      }).pipe(Effect.provide(relay))
    }),
  )
})
