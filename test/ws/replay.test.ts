import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { keyOf } from "#test/http/support/keys.ts"
import { eventually } from "#test/support/eventually.ts"
import { assertDocumented } from "./support/asDocumented.ts"
import { type Client, connect, type Told } from "./support/client.ts"
import { append, scores, testGateway } from "./support/gateway.ts"

const oldOnes = 1500

/** What happened two days ago, before this gateway was started. */
const longAgo = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`create table event_log_past partition of event_log
      for values from ('2020-01-01T00:00:00Z') to (${sql.literal(`'${new Date(yield* midnight).toISOString()}'`)})`
    const data = scores(1, 1)[0]?.data
    yield* sql`insert into event_log (recorded_at, kind, data)
      select now() - interval '2 days', 'score', ${JSON.stringify(data)}::text::jsonb || jsonb_build_object('game', n)
      from generate_series(1, ${oldOnes}::int) n`
  }),
)
const midnight = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 86_400_000) * 86_400_000)

const global = { action: "subscribe", type: "global", event_types: ["score"] }
const scoresOf = (client: Client) => client.events.filter(({ type }) => type === "score").map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

layer(testGateway({ "ws.ring": "100", "ws.message-burst": "1000" }, longAgo), { excludeTestServices: true })(
  "What a client asks to hear again",
  (it) => {
    it.effect("is the newest so many, or all since a moment, as far as the plan goes; then it is live", () =>
      Effect.gen(function* () {
        const [starter, enterprise] = [(yield* keyOf("starter")).key, (yield* keyOf("enterprise")).key]
        const last = yield* append(scores(5000, 700))
        const live = yield* connect(enterprise)
        yield* live.ask({ ...global, resume: { seq: last - 1 } }, "subscribed")
        yield* live.until("the newest", () => scoresOf(live).includes(last) || undefined)
        const now = yield* Clock.currentTimeMillis
        const asked = Effect.fnUntraced(function* (key: string, message: object) {
          const client = yield* connect(key)
          const ack = yield* client.ask({ ...global, ...message }, "subscribed")
          yield* client.nextOf("caught_up")
          assertDocumented(client)
          const replay: Told = ack["replay"]
          client.vanish()
          return { heard: scoresOf(client), replay }
        })
        const some = yield* asked(enterprise, { snapshot_count: 7 })
        assert.deepStrictEqual(some.heard, range(last - 6, last))
        assert.deepStrictEqual(some.replay, { mode: "snapshot_count", requested: 7, granted: 7, clamped: false })

        // More than is kept in memory, and more than the plan has.
        const most = yield* asked(enterprise, { snapshot_count: 1_000 })
        assert.deepStrictEqual(most.heard, range(last - 499, last))
        assert.deepStrictEqual(most.replay, { mode: "snapshot_count", requested: 1000, granted: 500, clamped: true })
        const fewer = yield* asked(starter, { filters: { snapshot_count: 101 } })
        assert.deepStrictEqual([fewer.heard.length, fewer.replay["granted"]], [100, 100])

        const top = yield* asked(enterprise, { snapshot_count: 3, filters: { snapshot_count: 9 } })
        assert.deepStrictEqual(top.heard, range(last - 2, last))
        const types = yield* asked(enterprise, { snapshot_count: 3, filters: { event_types: ["block"] } })
        assert.strictEqual(types.heard.length, 3)

        const since = yield* asked(starter, { since: 1, snapshot_count: 3 })
        assert.deepStrictEqual([since.replay["mode"], since.replay["clamped"]], ["since", true])
        assert.isAtLeast(since.replay["granted"], now - 120_000)
        assert.deepStrictEqual(since.heard, range(oldOnes + 1, last))
        const future = yield* asked(enterprise, { filters: { since: now + 600_000 }, since: now + 600_000 })
        assert.deepStrictEqual(future.heard, [])

        const old = yield* asked(enterprise, { snapshot_count: 500, event_types: ["block"] })
        assert.deepStrictEqual(old.heard, [])
      }),
    )

    it.effect("is there although it came by the thousand while nobody listened, and what comes next is live", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const start = yield* append(scores(7000, 1))
        const last = yield* append(scores(8000, 3500))
        // It hears of order books only, and is told how far the gateway is.
        const bystander = yield* connect(key)
        const read = Effect.map(
          bystander.ask({ action: "subscribe", token_ids: ["1"] }, "subscribed"),
          ({ seq }) => seq,
        )
        yield* eventually(
          "the gateway has read all of it",
          Effect.map(read, (seq) => seq >= last),
        )
        const [recent, resumed] = [yield* connect(key), yield* connect(key)]
        yield* recent.ask({ ...global, snapshot_count: 7 }, "subscribed")
        yield* recent.nextOf("caught_up")
        yield* resumed.ask({ ...global, resume: { seq: start } }, "subscribed")
        const next = yield* append(scores(9000, 1))
        for (const client of [recent, resumed]) {
          yield* client.until("what is live", () => scoresOf(client).includes(next) || undefined)
        }
        assert.deepStrictEqual(scoresOf(recent), range(last - 6, next))
        assert.deepStrictEqual(scoresOf(resumed), range(start + 1, next))
      }),
    )

    it.effect("is announced when it is nothing", () =>
      Effect.gen(function* () {
        const client = yield* connect((yield* keyOf("growth")).key)
        const wallets = [`0x${"7".repeat(40)}`]
        const ack = yield* client.ask(
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

    it.effect("is exactly what it missed, however often it comes back, in whatever it was interrupted", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const start = yield* append(scores(10_000, 1))
        let [seq, epoch]: [number, string | undefined] = [start, undefined]
        const heard: Array<number> = []
        for (let round = 0; round < 11; round++) {
          // More each time, until it is more than is kept in memory and more than a page of the log.
          const last = yield* append(scores(11_000, 2 ** round))
          const client = yield* connect(key)
          const ack: Told = yield* client.ask({ ...global, resume: { epoch, seq } }, "subscribed")
          assert.isTrue(ack["recovered"])
          epoch = ack["epoch"]
          const enough = round % 2 === 0 ? last : seq + 1
          yield* client.until(`up to ${enough}`, () => (scoresOf(client).at(-1) ?? 0) >= enough || undefined)
          client.vanish()
          yield* client.ended
          heard.push(...scoresOf(client))
          seq = heard.at(-1) ?? 0
          assertDocumented(client)
        }
        assert.deepStrictEqual(heard, range(start + 1, heard.at(-1) ?? 0))
        assert.isAbove(heard.length, 1000)
      }),
    )

    it.effect("is said to be lost where it is, with why and from where to fetch it", () =>
      Effect.gen(function* () {
        const [client, free] = [
          yield* connect((yield* keyOf("growth")).key),
          yield* connect((yield* keyOf("free")).key),
        ]
        const blocks = { action: "subscribe", type: "blocks" }
        const resumed = (who: Client, resume: object) => who.ask({ ...blocks, resume }, "subscribed")
        const { epoch, seq } = yield* client.ask(blocks, "subscribed")

        const foreign = yield* resumed(client, { epoch: "another", seq })
        assert.isFalse(foreign["recovered"])
        assert.include(foreign["reason"], "another one")
        const early = yield* resumed(client, { epoch, seq: seq + 1_000_000 })
        assert.isFalse(early["recovered"])
        assert.include(early["reason"], "no such seq yet")
        for (const who of [client, free]) {
          const late = yield* resumed(who, { epoch, seq: 3 })
          assert.isFalse(late["recovered"])
          assert.include(late["reason"], "older than the")
          const missed: Told = late["missed"]
          assert.deepStrictEqual([missed["after"], missed["fetch"]], [3, "/v1/events?after=3"])
          assert.isAtLeast(missed["until"], seq)
        }
        const nothing = yield* resumed(client, { epoch, seq })
        assert.isTrue(nothing["recovered"])
        yield* client.nextOf("caught_up")

        // Whatever was lost, from here on it is live, and each block comes once for all six.
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
          yield* who.ask({ action: "ping" }, "pong")
          assert.deepStrictEqual(
            who.of("block").map((told) => told["seq"]),
            [next],
          )
          assertDocumented(who)
        }
      }),
    )
  },
)
