import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { addressOf } from "#src/copy-pnl/model.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { serving } from "#test/http/support/serving.ts"
import { historyRead } from "#test/support/historyRead.ts"
import { hold, waiting } from "#test/support/hold.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { buysOf } from "./support/fills.ts"

/** Longer than the processes of this test take to start. */
const onDemandTime = "10m"

const services = Layer.merge(CopyPools.layer, ApiServer).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(sandbox([], [], { port: "0", host: "127.0.0.1", "copy-pnl.on-demand-time": onDemandTime })),
)

layer(services, { excludeTestServices: true })("A worker that is killed while scoring", (it) => {
  it.effect("is replaced by another one, which scores the wallet in full, also for a waiting client", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const env = {
        ...(yield* sandboxEnvironment),
        POSTGRES_LOCK_TIMEOUT: "1m",
        COPY_PNL_SCORE_LOCK: "1s",
        COPY_PNL_SCORE_STALL: "500ms",
        COPY_PNL_REPORT_LOCK: "1s",
        COPY_PNL_REPORT_STALL: "500ms",
        COPY_PNL_PAGE: "10",
        COPY_PNL_ON_DEMAND_TIME: onDemandTime,
      }
      const worker = (name: string) =>
        Effect.tap(start({ name, file: "test/copy-pnl/support/workerProcess.ts", env }), (each) =>
          each.waitFor("ready", { within: 60_000 }),
        )
      const wallet = addressOf(`0x${"a".repeat(40)}`) ?? assert.fail()
      const { account, key } = yield* keyOf("starter")
      yield* buysOf(wallet, 55, Date.now())
      yield* historyRead
      const first = yield* worker("first")

      // Readers of the history wait here until the test releases the lock.
      const release = yield* hold("lock table conversion in access exclusive mode")
      const pools = yield* CopyPools
      yield* pools.follow(account, [wallet])
      const asking = yield* Effect.forkScoped(askWith(key, `/v2/copy-pnl/${wallet}?period=7d`))
      yield* eventually(
        "both jobs are running",
        20_000,
        Effect.map(waiting, (count) => count === 2),
      )
      yield* worker("second")
      first.kill()
      yield* first.exit(10_000)
      assert.lengthOf(yield* sql`select from copy_pnl_score`, 0)
      yield* release
      const trades = Effect.map(pools.followed(account, [7]), ([each]) => each?.scores.get(7)?.trades)
      yield* eventually(
        "the other worker has scored it",
        30_000,
        Effect.map(trades, (count) => count === 55),
      )
      const answer = yield* Fiber.join(asking)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepInclude(answer.json, { trade_count: 55, partial: false })
    }),
  )
})
