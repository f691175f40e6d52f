import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { addressOf } from "#src/copy-pnl/model.ts"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { buysOf } from "./support/fills.ts"

const services = Layer.merge(CopyPools.layer, Keys.layer).pipe(Layer.provideMerge(sandbox([])))

layer(services, { excludeTestServices: true })("A worker that is killed in the middle of a score", (it) => {
  it.effect("is replaced by another, and the wallet is scored in full", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const env = {
        ...(yield* sandboxEnvironment),
        POSTGRES_LOCK_TIMEOUT: "1m",
        COPY_PNL_SCORE_LOCK: "1s",
        COPY_PNL_SCORE_STALL: "500ms",
        COPY_PNL_PAGE: "10",
      }
      const worker = (name: string) =>
        Effect.tap(start({ name, file: "test/copy-pnl/support/workerProcess.ts", env }), (each) =>
          each.waitFor("ready", { within: 60_000 }),
        )
      const wallet = addressOf(`0x${"a".repeat(40)}`) ?? assert.fail()
      const { account } = yield* (yield* Keys).open("starter", KeyName.make("test"))
      yield* buysOf(wallet, 55, Date.now())
      yield* historyRead
      const first = yield* worker("first")

      // Whoever reads the history stops here until the test goes on.
      const [held, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = yield* Effect.forkScoped(
        tx(
          Effect.gen(function* () {
            yield* sql`set local idle_in_transaction_session_timeout = 0`
            yield* sql`lock table conversion in access exclusive mode`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(released)
          }),
        ),
      )
      yield* Deferred.await(held)
      const pools = yield* CopyPools
      yield* pools.follow(account.id, [wallet])
      const waits = sql`select from pg_locks where relation = 'conversion'::regclass and not granted`
      yield* eventually(
        "somebody is in the middle of the score",
        20_000,
        Effect.map(waits, ({ length }) => length > 0),
      )
      yield* worker("second")
      first.kill()
      yield* first.exit(10_000)
      assert.lengthOf(yield* sql`select from copy_pnl_score`, 0)
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(holding)
      const trades = Effect.map(pools.followed(account.id, [7]), ([each]) => each?.scores.get(7)?.trades)
      yield* eventually(
        "another has scored it",
        30_000,
        Effect.map(trades, (count) => count === 55),
      )
    }),
  )
})
