import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { repair } from "#actors/repair.ts"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { serving } from "#test/http/support/serving.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { livedDatabase } from "#test/ledger/support/livedThrough.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { ops } from "./support.ts"

const server = Layer.mergeAll(ApiServer, ledger).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({ port: "0", host: "127.0.0.1", "event-log.retention": "3650d" }, [], livedDatabase()),
  ),
)

interface Run {
  readonly id: string
  readonly state: string
  readonly progress: number
  readonly error: string | null
  readonly verified: { readonly checks: ReadonlyArray<{ readonly check: string; readonly ok: boolean }> } | null
  readonly rebuilt: { readonly positions: number; readonly differed: { readonly positions: number } } | null
}

const start = (kind: string) => ops("/checks", { method: "POST", body: { kind } })

const runOf = (id: string) =>
  Effect.map(ops("/checks"), ({ json }) => json.runs.find((run: Run) => run.id === id) as Run)

const ended = (id: string) =>
  Effect.gen(function* () {
    const isOver = Effect.map(runOf(id), ({ state }) => !["queued", "running"].includes(state))
    yield* eventually(`run ${id} ends`, isOver, "60 seconds")
    return yield* runOf(id)
  })

const finished = (kind: string) => Effect.flatMap(start(kind), ({ json }) => ended(json.id))

/** Keeps the lease of the chain follower, so that a rebuild waits, during `test`. */
const whileBlocked = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { sql, tx } = yield* Postgres
    const [locked, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holding = yield* Effect.forkChild(
      tx(
        Effect.gen(function* () {
          yield* sql`set local idle_in_transaction_session_timeout = '2min'`
          yield* sql`insert into lease (name) values ('chain-follower') on conflict (name) do update set epoch = lease.epoch`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(release)
        }),
      ),
    )
    yield* Deferred.await(locked)
    return yield* Effect.ensuring(
      test,
      Effect.andThen(Deferred.succeed(release, undefined), Effect.ignore(Fiber.join(holding))),
    )
  })

layer(server, { excludeTestServices: true, timeout: "5 minutes" })("Checks that operators start", (it) => {
  it.effect("verify the ledger and rebuild positions in a worker, one at a time, and keep the results", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const queued = yield* start("verify")
      assert.strictEqual(queued.status, 202, queued.text)
      assert.strictEqual(queued.json.state, "queued")
      const second = yield* start("rebuild_positions")
      assert.strictEqual(second.status, 409)
      assert.include(second.json.error, "verify")

      yield* Effect.gen(function* () {
        const sound = yield* ended(queued.json.id)
        assert.strictEqual(sound.state, "done", String(sound.error))
        assert.strictEqual(sound.progress, 1)
        assert.isAbove(sound.verified?.checks.length ?? 0, 10)
        assert.deepStrictEqual(
          sound.verified?.checks.filter(({ ok }) => !ok),
          [],
        )

        yield* sql`update position set cost = cost + 1 where wallet % 3 = 0`
        const damaged = yield* finished("verify")
        assert.isTrue(damaged.verified?.checks.some(({ ok }) => !ok))
        const { json: overview } = yield* ops("/overview")
        assert.isTrue(
          overview.problems.some(({ text }: { text: string }) => text.includes("last verification found errors")),
        )

        const rebuilt = yield* finished("rebuild_positions")
        assert.strictEqual(rebuilt.state, "done", String(rebuilt.error))
        assert.isAbove(rebuilt.rebuilt?.differed.positions ?? 0, 0)
        const repaired = yield* finished("verify")
        assert.deepStrictEqual(
          repaired.verified?.checks.filter(({ ok }) => !ok),
          [],
        )
      }).pipe(Effect.provide(repair))

      const { json } = yield* ops("/audit")
      const started = json.lines.filter(({ action }: { action: string }) => action === "start")
      assert.strictEqual(started.filter(({ outcome }: { outcome: string }) => outcome === "done").length, 4)
    }),
  )

  it.effect("stop when they are cancelled, and change nothing", () =>
    Effect.gen(function* () {
      const waiting = yield* start("verify")
      const cancelled = yield* ops(`/checks/${waiting.json.id}`, { method: "DELETE" })
      assert.strictEqual(cancelled.json.state, "cancelled", "no worker has it")

      const { sql } = yield* Postgres
      yield* sql`update position set cost = cost + 1 where wallet % 3 = 0`
      yield* whileBlocked(
        Effect.gen(function* () {
          const { json } = yield* start("rebuild_positions")
          yield* eventually(
            "a worker runs it",
            Effect.map(runOf(json.id), ({ state }) => state === "running"),
          )
          const asked = yield* ops(`/checks/${json.id}`, { method: "DELETE" })
          assert.isTrue(asked.json.cancel_requested)
          assert.strictEqual((yield* ended(json.id)).state, "cancelled")
        }).pipe(Effect.provide(repair)),
      )
      const unknown = yield* ops("/checks/00000000-0000-4000-8000-000000000000", { method: "DELETE" })
      assert.strictEqual(unknown.status, 404)
    }),
  )

  it.effect("end when their job is lost, or when their worker stops again and again", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const lost = yield* start("verify")
      yield* sql`update repair_run set requested_at = now() - interval '11 minutes' where id = ${lost.json.id}::uuid`
      const next = yield* start("verify")
      assert.strictEqual(next.status, 202, next.text)
      assert.deepInclude(yield* runOf(lost.json.id), { state: "failed", error: "its job was lost" })

      yield* sql`update repair_run set state = 'running', starts = 3, seen_at = now() where id = ${next.json.id}::uuid`
      const failed = yield* Effect.provide(ended(next.json.id), repair)
      assert.strictEqual(failed.state, "failed")
      assert.include(failed.error, "stopped 3 times")
    }),
  )
})
