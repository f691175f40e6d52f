import { assert, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const ttl = Duration.minutes(1)

layer(testFoundation(), { excludeTestServices: true })("Leases", (it) => {
  it.effect("a successor has a higher epoch, and the predecessor's writes are refused", () =>
    Effect.gen(function* () {
      const leases = yield* Leases
      const { sql } = yield* Postgres
      yield* sql`create table written (epoch bigint)`
      const write = (lease: { epoch: bigint; tx: typeof first.tx }) =>
        lease.tx(sql`insert into written values (${lease.epoch})`)
      const first = yield* leases.seize("writer")
      yield* write(first)
      const second = yield* leases.seize("writer")
      assert.isAbove(Number(second.epoch), Number(first.epoch))
      const refused = yield* Effect.flip(write(first))
      assert.strictEqual(refused._tag, "LeaseLost")
      yield* write(second)
      const rows = yield* sql<{ epoch: bigint }>`select epoch from written`
      assert.deepStrictEqual(
        rows.map(({ epoch }) => epoch),
        [first.epoch, second.epoch],
      )
    }),
  )

  it.effect("a takeover waits for the predecessor's open transaction", () =>
    Effect.gen(function* () {
      const leases = yield* Leases
      const { reads } = yield* Postgres
      const first = yield* leases.seize("slow")
      const inside = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const writing = yield* Effect.forkChild(
        first.tx(Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(release))),
      )
      yield* Deferred.await(inside)
      const taking = yield* Effect.forkChild(leases.seize("slow"))
      const waiting = reads`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* eventually(
        "the takeover waits for a lock",
        Effect.map(waiting, ({ length }) => length > 0),
      )
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(writing)
      assert.isAbove(Number((yield* Fiber.join(taking)).epoch), Number(first.epoch))
    }),
  )

  it.effect("only one of many takes a free lease, and a released lease is free again", () =>
    Effect.gen(function* () {
      const leases = yield* Leases
      const attempts = yield* Effect.all(
        Array.from({ length: 20 }, () => leases.tryTake("duty", ttl)),
        { concurrency: 20 },
      )
      const [winner, ...others] = attempts.filter(Option.isSome)
      assert.strictEqual(others.length, 0)
      assert.isTrue(Option.isNone(yield* leases.tryTake("duty", ttl)))
      if (winner === undefined) throw new Error("no attempt took the lease")
      yield* leases.extend(winner.value, ttl)
      yield* leases.release(winner.value)
      assert.isTrue(Option.isSome(yield* leases.tryTake("duty", ttl)))
      const lost = yield* Effect.flip(leases.extend(winner.value, ttl))
      assert.strictEqual(lost._tag, "LeaseLost")
    }),
  )

  it.effect("a lease that was extended by a clock a day ahead does not hold until tomorrow", () =>
    Effect.gen(function* () {
      const leases = yield* Leases
      const { sql } = yield* Postgres
      const first = Option.getOrThrow(yield* leases.tryTake("ahead", ttl))
      assert.isTrue(Option.isNone(yield* leases.tryTake("ahead", ttl)))
      yield* sql`update lease set expires_at = now() + interval '1 day' where name = 'ahead'`
      const second = Option.getOrThrow(yield* leases.tryTake("ahead", ttl))
      assert.isAbove(Number(second.epoch), Number(first.epoch))
    }),
  )
})
