import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schedule } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Status } from "#src/status/Status.ts"
import * as StatusStore from "#src/status/StatusStore.ts"
import { Liveness } from "#src/streams/liveness/Liveness.ts"
import type { SourceLiveness } from "#src/streams/liveness/sourceLiveness.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { makeTickWriter } from "#test/ticks/liveSupport.ts"

const source = "oracle_data_streams"

const world = Liveness.layer.pipe(
  Layer.provideMerge(Layer.merge(Status.layer, TickFeed.layer)),
  Layer.provideMerge(Layer.merge(TickStore.layer, TickTail.layer)),
  Layer.provideMerge(testFoundation({ "ws.stale-ticks": "3s", "ws.stale-others": "3s" })),
)

layer(world, { excludeTestServices: true })("Liveness", (it) => {
  const follow = (name: string, followers: number) =>
    Effect.flatMap(Postgres, ({ sql }) =>
      StatusStore.write(
        sql,
        "test",
        0,
        new Map([[name, { counts: {}, rates: {}, moments: {}, now: { followers }, unread: null }]]),
      ),
    )

  const observed = Effect.gen(function* () {
    const liveness = yield* Liveness
    const changes: Array<SourceLiveness> = []
    yield* liveness.listen((change) => changes.push(change))
    const of = (name: string) => changes.filter((change) => change.source === name)
    const changed = (name: string, count: number) =>
      eventually(
        `${name} changes for the ${count}th time`,
        Effect.sync(() => of(name).length >= count),
      )
    return { of, changed }
  })

  it.effect("a client that leaves while the status is read does not end the reading for the streams", () =>
    Effect.gen(function* () {
      const status = yield* Status
      const client = yield* Effect.forkChild(status.overview, { startImmediately: true })
      const streams = yield* Effect.forkChild(status.sources, { startImmediately: true })
      yield* Fiber.interrupt(client)
      assert.isNotEmpty((yield* Fiber.join(streams)).sources)
    }),
  )

  it.effect("reports once when ticks stop and once when they return", () =>
    Effect.gen(function* () {
      const liveness = yield* Liveness
      const { publish, secondOf } = yield* makeTickWriter
      const { of, changed } = yield* observed
      yield* changed(source, 1)
      yield* follow(source, 1)
      const publishTick = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        publish({ seconds: [secondOf({ at: Math.floor(now) })] }),
      )
      const publishing = yield* Effect.forkChild(Effect.repeat(publishTick, Schedule.spaced("100 millis")))
      yield* changed(source, 2)
      assert.deepInclude(liveness.ages([source])[source], { stale: false })
      assert.isEmpty(liveness.staleSources([source]))
      yield* Fiber.interrupt(publishing)
      yield* changed(source, 3)
      assert.lengthOf(liveness.staleSources([source]), 1)
      yield* publishTick
      yield* changed(source, 4)
      assert.deepStrictEqual(
        of(source).map(({ isStale }) => isStale),
        [true, false, true, false],
      )
      const [never, , silent] = of(source)
      assert.match(never?.reason ?? "", /never delivered data/)
      // The status rounds to tenths of seconds.
      assert.isAtLeast(silent?.ageMillis ?? 0, 2_900)
      assert.strictEqual(silent?.boundMillis, 3_000)
      assert.deepInclude(liveness.ages(["books"])["books"], { age_ms: null, stale: true })
    }),
  )

  it.effect("reports a source without followers and a status that cannot be read", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      yield* follow("sports", 1)
      const { of, changed } = yield* observed
      yield* follow("sports", 0)
      yield* changed("sports", 1)
      yield* follow("sports", 1)
      yield* changed("sports", 2)
      yield* sql`alter table source_status rename to source_status_away`
      yield* changed("sports", 3)
      yield* sql`alter table source_status_away rename to source_status`
      yield* changed("sports", 4)
      assert.deepStrictEqual(
        of("sports").map(({ isStale }) => isStale),
        [true, false, true, false],
      )
      const [stopped, , unread] = of("sports")
      assert.match(stopped?.reason ?? "", /no process follows it/)
      assert.match(unread?.reason ?? "", /cannot be read: Postgres: .*source_status/)
    }),
  )
})
