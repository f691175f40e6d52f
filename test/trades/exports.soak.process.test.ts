import { get, type IncomingMessage } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { Keys } from "#src/keys/Keys.ts"
import { KeyName } from "#src/keys/model.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { accountKeys } from "#src/roles/Access.ts"
import { WalkPosition } from "#src/trades/model.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { fillMaker } from "#test/webhooks/support/fills.ts"
import { tradesOf } from "./support/expected.ts"
import { newestSecond } from "./support/exporting.ts"

const within = 120_000
const trades = 800
const services = Layer.mergeAll(accountKeys, ledger).pipe(
  Layer.provideMerge(sandbox([], [], { "event-log.retention": "3650d" })),
)

const worker = (name: string, env: Readonly<Record<string, string>>) =>
  Effect.tap(start({ name, file: "test/trades/support/workerProcess.ts", env }), (process) =>
    process.waitFor("ready", { within }),
  )
const api = (name: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const process = yield* start({
      name,
      file: "src/main.ts",
      args: ["start"],
      env: { ...env, ROLE: "api", PORT: "0" },
    })
    return Number(/localhost:(\d+)/.exec(yield* process.waitForLine(/^presage ready/, within))?.[1])
  })

/** Resolves when the head of the answer has arrived. */
const asking = (port: number, path: string, headers: Record<string, string>) =>
  Effect.callback<IncomingMessage, Error>((resume) => {
    get({ host: "127.0.0.1", port, path, headers, agent: false }, (incoming) => resume(Effect.succeed(incoming))).on(
      "error",
      (error) => resume(Effect.fail(error)),
    )
  })
const read = (incoming: IncomingMessage) =>
  Effect.promise(async () => JSON.parse(Buffer.concat(await incoming.toArray()).toString()))

/** Progress of the only run, and whether it has ended. */
const runProgress = Effect.gen(function* () {
  const redis = yield* Redis
  const names = yield* redis.run((client) => client.keys(`${redis.prefix}:flights:{*:state`))
  assert.lengthOf(names, 1)
  const [position, end] = yield* redis.run((client) => client.hmget(names[0] ?? "", "position", "end"))
  const reached = Schema.decodeUnknownSync(Schema.fromJsonString(WalkPosition))(position)
  return { count: reached.count, isOver: end !== null }
})

layer(services, { excludeTestServices: true })("Exports with two API processes and two workers", (it) => {
  it.effect("clients get every trade although the worker is killed during the walk", () =>
    Effect.gen(function* () {
      const chain = yield* fillMaker
      for (let block = 0; block < 8; block++) yield* chain.block(trades / 8)
      const { sql } = yield* Postgres
      const [row] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from fill f join wallet w on w.id = f.maker limit 1`
      const wallet = row?.wallet ?? ""
      const { key } = yield* (yield* Keys).open("growth", KeyName.make("test"))
      const env = {
        ...(yield* sandboxEnvironment),
        HOST: "127.0.0.1",
        // One trade per page, so that a walk takes long.
        TRADES_EXPORT_PAGE: "1",
        TRADES_EXPORT_LOCK: "2s",
        TRADES_EXPORT_STALL: "500ms",
      }
      const [ports, [first, second]] = yield* Effect.all(
        [
          Effect.all([api("api 1", env), api("api 2", env)], { concurrency: 2 }),
          Effect.all([worker("worker 1", env), worker("worker 2", env)], { concurrency: 2 }),
        ],
        { concurrency: 2 },
      )
      second.freeze()
      const path = `/v2/onchain/wallets/${wallet}/trades/all?to=${yield* newestSecond}`
      const headers = { "x-api-key": Redacted.value(key) }
      const answers = yield* Effect.forEach(ports, (port) => asking(port, path, headers), { concurrency: 2 })
      first.kill()
      yield* first.exit(within)
      const killedAt = yield* runProgress
      assert.isFalse(killedAt.isOver)
      assert.isAbove(killedAt.count, 0)
      assert.isBelow(killedAt.count, trades)
      const reading = yield* Effect.forEach(answers, (answer) => Effect.forkChild(read(answer)))
      second.thaw()
      const bodies = yield* Effect.forEach(reading, Fiber.join)
      const expected = yield* tradesOf(wallet)
      assert.lengthOf(expected, trades)
      for (const body of bodies) {
        assert.strictEqual(body.count, trades)
        assert.isNull(body.partial_reason)
        assert.deepStrictEqual(body.trades, expected)
      }
      // It was one walk, and its result is kept for all clients.
      yield* eventually(
        "the run has ended",
        within,
        Effect.map(runProgress, ({ isOver }) => isOver),
      )
      const again = yield* asking(ports[0] ?? 0, path, headers)
      assert.strictEqual(again.headers["x-cache"], "hit")
      assert.deepStrictEqual((yield* read(again)).trades, expected)
    }),
  )
})
