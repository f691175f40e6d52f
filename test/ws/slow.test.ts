import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Tuning } from "#src/tuning/Tuning.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { figures } from "#test/support/processes/scale.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect, type Received } from "./support/client.ts"
import { append, metric, scores, testGateway } from "./support/gateway.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const readers = isSoak ? 90 : 6
/** The kernel buffers a few megabytes per socket before the gateway notices a reader that stopped. */
const [rounds, perRound, bytes] = [10, 50, 20_000]
const buffer = 65_536
/** Buffered bytes per socket beyond which it is closed at once. */
const hardLimit = 32 * buffer

const global = { action: "subscribe", type: "global", event_types: ["score"] }
const seqsOf = (client: Client) => client.of("score").map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** Unlimited patience until the test changes it. A client that does not read answers no ping either. */
const patient = { "ws.lag-patience": "10m", "ws.idle-timeout": "960" }
const flags = { ...patient, "ws.buffer": String(buffer), "ws.ring": "200" }

layer(Tuning.follow.pipe(Layer.provideMerge(testGateway(flags))), { excludeTestServices: true })(
  "Slow clients",
  (it) => {
    it.effect(
      "do not affect others, get missed events when they read again, and are disconnected when they never do",
      () =>
        Effect.gen(function* () {
          const { key } = yield* keyOf("enterprise")
          const joined = Effect.gen(function* () {
            const client = yield* connect(key)
            return { client, ack: yield* client.request(global, "subscribed") }
          })
          const others = yield* Effect.replicateEffect(joined, readers)
          const [late, stuck] = [yield* joined, yield* joined]
          const slow = isSoak ? yield* Effect.replicateEffect(joined, readers / 9 - 2) : []
          for (const { client } of [late, stuck, ...slow]) client.stopReading()

          let last = 0
          for (let round = 0; round < rounds; round++) {
            last = yield* append(scores(round * perRound, perRound, bytes))
            const upTo = last
            yield* Effect.forEach(others, ({ client }) =>
              client.until(`event ${upTo}`, () => client.received.at(-1)?.["seq"] >= upTo || undefined),
            )
          }
          const behind = slow.length + 2
          yield* eventually(
            "slow clients are paused",
            Effect.map(metric("presage_ws_behind"), (count) => count === behind),
          )
          const waiting = yield* metric("presage_ws_buffered_bytes")
          assert.isAbove(waiting, buffer)
          assert.isAtMost(waiting, behind * hardLimit)
          const sent = rounds * perRound
          for (const { client } of others) assert.deepStrictEqual(seqsOf(client), range(last - sent + 1, last))
          if (isSoak) {
            const mib = (count: number) => `${Math.round(count / 1_048_576)} MiB`
            figures("slow readers", {
              readers,
              slow: behind,
              each: mib(sent * bytes),
              waiting: mib(waiting),
              rss: mib(process.memoryUsage.rss()),
            })
          }

          late.client.resumeReading()
          yield* late.client.until("all of it", () => seqsOf(late.client).at(-1) === last || undefined)
          last = yield* append(scores(1_000_000, 3))
          yield* late.client.until("what is live again", () => seqsOf(late.client).at(-1) === last || undefined)
          assert.deepStrictEqual(seqsOf(late.client), range(last - sent - 2, last))
          assertLagsReported(late.client)
          assertDocumented(late.client)

          yield* (yield* Tuning).set("ws.lag-patience", "1s", "test")
          yield* eventually(
            "clients that never read are disconnected",
            Effect.map(metric("presage_ws_connections"), (count) => count === readers + 1),
            "30 seconds",
          )
          stuck.client.terminate()
          const again = yield* connect(key)
          const received = seqsOf(stuck.client)
          const resume = {
            epoch: stuck.ack["epoch"],
            seq: received.at(-1) ?? last - sent - 3,
            subscriber_id: stuck.ack["subscriber_id"],
          }
          const ack = yield* again.request({ ...global, resume }, "subscribed")
          const why: Received = ack["last_close"]
          assert.deepStrictEqual([why["code"], why["subscriber_id"]], [4008, stuck.ack["subscriber_id"]])
          assert.include(why["reason"], "too slowly")
          assert.isAtLeast(why["from_seq"], resume.seq)
          assert.isTrue(ack["recovered"])
          yield* again.until("all that it missed", () => seqsOf(again).at(-1) === last || undefined)
          assert.deepStrictEqual([...received, ...seqsOf(again)], range(last - sent - 2, last))
          const second = yield* again.request(global, "subscribed")
          assert.isUndefined(second["last_close"])
          assertDocumented(again)
        }),
      600_000,
    )
  },
)

/** Each lag begins right after the last received event and ends with `caught_up`. */
const assertLagsReported = ({ received }: Client): void => {
  let [position, isLate, lags] = [0, false, 0]
  for (const { type, seq, from_seq, to_seq } of received) {
    if (type === "score") position = seq
    if (type === "caught_up") isLate = false
    if (type !== "lagged") continue
    if (position > 0) assert.strictEqual(from_seq, position + 1)
    assert.isAtLeast(to_seq, from_seq)
    isLate = true
    lags++
  }
  assert.isFalse(isLate)
  assert.isAtLeast(lags, 1)
}
