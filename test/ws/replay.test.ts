import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect, type Received } from "./support/client.ts"
import { append, scores, testGateway } from "./support/gateway.ts"

const oldEvents = 1500

/** Events recorded two days ago, before this gateway was started. */
const oldHistory = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`create table event_log_past partition of event_log
      for values from ('2020-01-01T00:00:00Z') to (${sql.literal(`'${new Date(yield* midnight).toISOString()}'`)})`
    const data = scores(1, 1)[0]?.data
    yield* sql`insert into event_log (recorded_at, kind, data)
      select now() - interval '2 days', 'score', ${JSON.stringify(data)}::text::jsonb || jsonb_build_object('game', n)
      from generate_series(1, ${oldEvents}::int) n`
  }),
)
const midnight = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 86_400_000) * 86_400_000)

const global = { action: "subscribe", type: "global", event_types: ["score"] }
const scoresOf = (client: Client) => client.events.filter(({ type }) => type === "score").map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

layer(testGateway({ "ws.ring": "100", "ws.message-burst": "1000" }, oldHistory), { excludeTestServices: true })(
  "Replays",
  (it) => {
    it.effect("snapshot_count and since replay events as far as the plan allows, then the stream is live", () =>
      Effect.gen(function* () {
        const [starter, enterprise] = [(yield* keyOf("starter")).key, (yield* keyOf("enterprise")).key]
        const last = yield* append(scores(5000, 700))
        const live = yield* connect(enterprise)
        yield* live.request({ ...global, resume: { seq: last - 1 } }, "subscribed")
        yield* live.until("the newest", () => scoresOf(live).includes(last) || undefined)
        const now = yield* Clock.currentTimeMillis
        const subscribed = Effect.fnUntraced(function* (key: string, message: object) {
          const client = yield* connect(key)
          const ack = yield* client.request({ ...global, ...message }, "subscribed")
          yield* client.nextOf("caught_up")
          assertDocumented(client)
          const replay: Received = ack["replay"]
          client.terminate()
          return { received: scoresOf(client), replay }
        })
        const some = yield* subscribed(enterprise, { snapshot_count: 7 })
        assert.deepStrictEqual(some.received, range(last - 6, last))
        assert.deepStrictEqual(some.replay, { mode: "snapshot_count", requested: 7, granted: 7, clamped: false })

        // More than is kept in memory, and more than the plan allows.
        const most = yield* subscribed(enterprise, { snapshot_count: 1_000 })
        assert.deepStrictEqual(most.received, range(last - 499, last))
        assert.deepStrictEqual(most.replay, { mode: "snapshot_count", requested: 1000, granted: 500, clamped: true })
        const fewer = yield* subscribed(starter, { filters: { snapshot_count: 101 } })
        assert.deepStrictEqual([fewer.received.length, fewer.replay["granted"]], [100, 100])

        const top = yield* subscribed(enterprise, { snapshot_count: 3, filters: { snapshot_count: 9 } })
        assert.deepStrictEqual(top.received, range(last - 2, last))
        const types = yield* subscribed(enterprise, { snapshot_count: 3, filters: { event_types: ["block"] } })
        assert.strictEqual(types.received.length, 3)

        const since = yield* subscribed(starter, { since: now - 86_400_000, snapshot_count: 3 })
        assert.deepStrictEqual([since.replay["mode"], since.replay["clamped"]], ["since", true])
        assert.isAtLeast(since.replay["granted"], now - 120_000)
        assert.deepStrictEqual(since.received, range(oldEvents + 1, last))
        const future = yield* subscribed(enterprise, { filters: { since: now + 600_000 }, since: now + 600_000 })
        assert.deepStrictEqual(future.received, [])

        const old = yield* subscribed(enterprise, { snapshot_count: 500, event_types: ["block"] })
        assert.deepStrictEqual(old.received, [])
      }),
    )

    it.effect("subscribing again after unsubscribe replays as much as on a fresh socket", () =>
      Effect.gen(function* () {
        const client = yield* connect((yield* keyOf("enterprise")).key)
        const last = yield* append(scores(6000, 60))
        yield* client.request({ ...global, resume: { seq: last - 60 } }, "subscribed")
        yield* client.until("the newest", () => scoresOf(client).includes(last) || undefined)
        yield* client.nextOf("caught_up")
        const replayed = Effect.gen(function* () {
          const before = scoresOf(client).length
          const { subscription_id } = yield* client.request({ ...global, snapshot_count: 50 }, "subscribed")
          yield* client.nextOf("caught_up")
          return { subscription_id, seqs: scoresOf(client).slice(before) }
        })
        assert.deepStrictEqual((yield* replayed).seqs, [], "an active subscription has sent them")
        yield* client.request({ action: "unsubscribe" }, "unsubscribed")
        const again = yield* replayed
        assert.deepStrictEqual(again.seqs, range(last - 49, last))
        const filters = { event_types: ["block"] }
        yield* client.request({ action: "update", subscription_id: again.subscription_id, filters }, "updated")
        assert.deepStrictEqual((yield* replayed).seqs, range(last - 49, last), "other filters replaced those")
      }),
    )

    it.effect("events that arrived in bulk without subscribers can be replayed, and later ones are live", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const start = yield* append(scores(7000, 1))
        const last = yield* append(scores(8000, 3500))
        // Subscribes to order books only; its acknowledgement shows the gateway's position.
        const bystander = yield* connect(key)
        const read = Effect.map(
          bystander.request({ action: "subscribe", token_ids: ["1"] }, "subscribed"),
          ({ seq }) => seq,
        )
        yield* eventually(
          "the gateway has read all of it",
          Effect.map(read, (seq) => seq >= last),
        )
        const [recent, resumed] = [yield* connect(key), yield* connect(key)]
        yield* recent.request({ ...global, snapshot_count: 7 }, "subscribed")
        yield* recent.nextOf("caught_up")
        yield* resumed.request({ ...global, resume: { seq: start } }, "subscribed")
        const next = yield* append(scores(9000, 1))
        for (const client of [recent, resumed]) {
          yield* client.until("what is live", () => scoresOf(client).includes(next) || undefined)
        }
        assert.deepStrictEqual(scoresOf(recent), range(last - 6, next))
        assert.deepStrictEqual(scoresOf(resumed), range(start + 1, next))
      }),
    )

    it.effect("an empty replay is announced", () =>
      Effect.gen(function* () {
        const client = yield* connect((yield* keyOf("growth")).key)
        const wallets = [`0x${"7".repeat(40)}`]
        const ack = yield* client.request(
          { action: "subscribe", type: "fills", snapshot_count: 10, filters: { wallets } },
          "subscribed",
        )
        const empty = yield* client.nextOf("snapshot")
        assert.deepStrictEqual(empty, {
          type: "snapshot",
          subscription_id: ack["subscription_id"],
          count: 0,
          events: [],
        })
        assert.strictEqual((yield* client.nextOf("caught_up"))["replayed"], 0)
      }),
    )

    it.effect("a resumption replays exactly the missed events, however often and wherever it was interrupted", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const start = yield* append(scores(10_000, 1))
        let [seq, epoch]: [number, string | undefined] = [start, undefined]
        const received: Array<number> = []
        for (let round = 0; round < 11; round++) {
          // More each time, until it exceeds memory and a page of the log.
          const last = yield* append(scores(11_000, 2 ** round))
          const client = yield* connect(key)
          const ack: Received = yield* client.request({ ...global, resume: { epoch, seq } }, "subscribed")
          assert.isTrue(ack["recovered"])
          epoch = ack["epoch"]
          const enough = round % 2 === 0 ? last : seq + 1
          yield* client.until(`up to ${enough}`, () => (scoresOf(client).at(-1) ?? 0) >= enough || undefined)
          client.terminate()
          yield* client.ended
          received.push(...scoresOf(client))
          seq = received.at(-1) ?? 0
          assertDocumented(client)
        }
        assert.deepStrictEqual(received, range(start + 1, received.at(-1) ?? 0))
        assert.isAbove(received.length, 1000)
      }),
    )

    it.effect("events that cannot be replayed are reported with the reason and where to fetch them", () =>
      Effect.gen(function* () {
        const [client, free] = [
          yield* connect((yield* keyOf("growth")).key),
          yield* connect((yield* keyOf("free")).key),
        ]
        const blocks = { action: "subscribe", type: "blocks" }
        const resumed = (who: Client, resume: object) => who.request({ ...blocks, resume }, "subscribed")
        const { epoch, seq } = yield* client.request(blocks, "subscribed")

        const foreign = yield* resumed(client, { epoch: "another", seq })
        assert.isFalse(foreign["recovered"])
        assert.include(foreign["reason"], "recreated")
        const early = yield* resumed(client, { epoch, seq: seq + 1_000_000 })
        assert.isFalse(early["recovered"])
        assert.include(early["reason"], "does not exist yet")
        for (const who of [client, free]) {
          const late = yield* resumed(who, { epoch, seq: 3 })
          assert.isFalse(late["recovered"])
          assert.include(late["reason"], "older than the")
          const missed: Received = late["missed"]
          assert.deepStrictEqual([missed["after"], missed["fetch"]], [3, "/v1/events?after=3"])
          assert.isAtLeast(missed["until"], seq)
        }
        const nothing = yield* resumed(client, { epoch, seq })
        assert.isTrue(nothing["recovered"])
        yield* client.nextOf("caught_up")

        // From here on the stream is live, and each block is sent once for all six subscriptions.
        const block = {
          hash: "1",
          parent: "0",
          at: 1,
          transactions: 1,
          venueTransactions: 0,
          settlements: 0,
          volume: 0,
        }
        const next = yield* append([{ kind: "block", ref: 9n, data: block }])
        for (const who of [client, free]) {
          yield* who.nextOf("block")
          yield* who.request({ action: "ping" }, "pong")
          assert.deepStrictEqual(
            who.of("block").map((received) => received["seq"]),
            [next],
          )
          assertDocumented(who)
        }
      }),
    )
  },
)
