import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys as keysOf } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Dice } from "#src/simulator/random.ts"
import { leaseKinds } from "#src/streams/access/caps.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { figures, seed } from "#test/support/processes/scale.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { connect } from "./support/client.ts"
import { anyFrames, anyMessage } from "./support/fuzz.ts"
import { append, metric, scores, testGateway } from "./support/gateway.ts"
import { openWire } from "./support/wire.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const messages = isSoak ? 100_000 : 2_000
const [sockets, perSocket] = [8, 50]

const flags = { "ws.message-rate": "100000", "ws.message-burst": "1000000" }

layer(testGateway(flags), { excludeTestServices: true })("Arbitrary client input", (it) => {
  it.effect(
    `${messages} arbitrary messages neither crash the gateway nor leak resources`,
    () =>
      Effect.gen(function* () {
        const dice = new Dice(Number(seed) >>> 0)
        const { key, account } = yield* keyOf("enterprise")
        yield* append(scores(1, 50))

        /** Every answer is documented; in the end the gateway still answers or has closed the connection with a reason. */
        const sendMessages = Effect.gen(function* () {
          const client = yield* connect(key, dice.chance(0.3) ? { compress: "zlib" } : {})
          for (let count = 0; count < perSocket; count++) client.send(anyMessage(dice))
          const isClosed = () => client.closed !== undefined
          const answered = client.request('{"action":"ping"}', "pong")
          yield* Effect.raceFirst(
            answered,
            client.until("the end", () => isClosed() || undefined),
          )
          assertDocumented(client)
          if (dice.chance(0.5)) client.close()
        }).pipe(Effect.scoped)

        const sendFrames = Effect.gen(function* () {
          const wire = yield* openWire(key)
          wire.write(anyFrames(dice, perSocket))
          if (dice.chance(0.5))
            yield* Effect.callback<void>((resume) => void wire.socket.end(() => resume(Effect.void)))
          else wire.socket.resetAndDestroy()
        }).pipe(Effect.scoped)

        const rounds = messages / perSocket / sockets
        const memory: Array<number> = []
        for (let round = 0; round < rounds; round++) {
          const acts = Array.from({ length: sockets }, (_, index) => (index % 4 === 3 ? sendFrames : sendMessages))
          yield* Effect.all(acts, { concurrency: sockets, discard: true })
          if (round % Math.ceil(rounds / 10) === 0) memory.push(Math.round(process.memoryUsage.rss() / 1_048_576))
        }

        const good = yield* connect(key)
        const ack = yield* good.request({ action: "subscribe", type: "global", event_types: ["score"] }, "subscribed")
        const last = yield* append(scores(1_000, 20))
        yield* good.until("all twenty", () => good.of("score").at(-1)?.["seq"] === last || undefined)
        assert.deepStrictEqual(
          good.of("score").map(({ seq }) => seq),
          Array.from({ length: 20 }, (_, i) => ack["seq"] + 1 + i),
        )
        good.close()
        for (const name of ["connections", "subscribers", "firehose_connections", "buffered_bytes"]) {
          yield* eventually(
            `no ${name} are left`,
            Effect.map(metric(`presage_ws_${name}`), (count) => count === 0),
          )
        }
        const redis = yield* Redis
        for (const kind of leaseKinds) {
          const held = redis.run((client) => client.zcard(keysOf(redis.prefix).connections(account, kind)))
          yield* eventually(
            `no leases of ${kind} are left`,
            Effect.map(held, (count) => count === 0),
          )
        }
        figures("fuzz", { messages, seed, "memory, MiB": memory.join(" ") })
      }),
    600_000,
  )
})
