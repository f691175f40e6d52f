import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventTypes } from "#src/feed/model.ts"
import { EventLog, type NewEvent } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { undocumented } from "#test/ws/support/frames.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { apiServer } from "./support/server.ts"

const announce = (events: ReadonlyArray<NewEvent>) =>
  Effect.gen(function* () {
    const { tx } = yield* Postgres
    const log = yield* EventLog
    yield* tx(log.append(events))
  })

const score = (game: number): NewEvent => ({
  kind: "score",
  ref: BigInt(game),
  data: {
    game,
    slug: `game-${game}`,
    status: null,
    score: "1-0",
    period: null,
    elapsed: null,
    live: true,
    ended: false,
    at: 1,
  },
})

const reorg = (block: number): NewEvent => ({
  kind: "reorg",
  ref: BigInt(block),
  data: { fork_block: block, fork_hash: `0x${"5e".repeat(32)}`, retracted: [] },
})

const nobodysBusiness: NewEvent = { kind: "fee_refund", ref: 1n, sub: 1 }

interface Page {
  readonly events: ReadonlyArray<{
    readonly type: string
    readonly seq: number
    readonly data: Record<string, unknown>
  }>
  readonly next_after: number
  readonly has_more: boolean
}

/** Reads all pages in order. */
const pagesOf = (key: string, query: string) =>
  Effect.gen(function* () {
    const pages: Array<Page> = []
    let after = 0
    for (;;) {
      const { status, json } = yield* askWith(key, `/v1/events?after=${after}${query}`)
      assert.strictEqual(status, 200)
      pages.push(json)
      if (!json.has_more) return pages
      assert.isAbove(json.next_after, after)
      after = json.next_after
    }
  })

layer(apiServer, { excludeTestServices: true })("GET /v1/events", (it) => {
  it.effect("pages cover an empty and a long log, each event once", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const empty = yield* askWith(key, "/v1/events")
      assert.strictEqual(empty.status, 200)
      assert.deepInclude(empty.json, {
        entries: 0,
        events: [],
        next_after: 0,
        has_more: false,
        oldest_seq: 0,
        newest_seq: 0,
        gap: false,
      })

      const games = Array.from({ length: 250 }, (_, game) => game)
      yield* announce(
        games.flatMap((game) => [score(game), nobodysBusiness, ...(game % 50 === 7 ? [reorg(game)] : [])]),
      )

      const all = (yield* pagesOf(key, "&limit=40")).flatMap(({ events }) => events)
      for (const event of all) assert.isUndefined(undocumented(event))
      assert.deepStrictEqual(
        all.filter(({ type }) => type === "score").map(({ data }) => data["game_id"]),
        games.map(String),
      )
      assert.strictEqual(all.length, 255)
      assert.deepStrictEqual(
        all.map(({ seq }) => seq),
        all.map(({ seq }) => seq).toSorted((a, b) => a - b),
      )

      const rare = yield* pagesOf(key, "&event_types=Reorg&limit=2")
      assert.deepStrictEqual(
        rare.map(({ events }) => events.length),
        [2, 2, 1],
      )
      const { json } = yield* askWith(key, "/v1/events")
      assert.strictEqual(json.events.length, 100)
      assert.strictEqual(json.epoch, (yield* EventLog).identity)
      const last = yield* askWith(key, `/v1/events?after=${json.newest_seq}&epoch=${json.epoch}`)
      assert.deepInclude(last.json, { events: [], next_after: json.newest_seq, has_more: false, gap: false })
    }),
  )

  it.effect("limit counts log entries, and entries says how many there are when each is several events", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      const { sql } = yield* Postgres
      yield* sql`create table if not exists fill_any partition of fill default`
      yield* sql`insert into wallet (address) values (decode(lpad('1', 40, '0'), 'hex'))`
      yield* sql`insert into token (hash) values (decode(lpad('5', 64, '0'), 'hex'))`
      yield* sql`
        insert into block (number, hash, at, logs, transactions, transaction_logs)
        values (7, '\\x00', now(), 3, decode(lpad('1', 64, '0'), 'hex'), '{1}')`
      yield* sql`
        insert into fill (shares, usd, fee, block, log_index, at, maker, taker, token, builder, exchange, is_sale, order_hash)
        select 1000000, 500000, 0, 7, n, extract(epoch from now())::int, w.id, w.id, t.id, 0, 0, false,
          decode(lpad('2', 64, '0'), 'hex')
        from generate_series(1, 3) n, wallet w, token t`
      const { json: before } = yield* askWith(key, "/v1/events?limit=1")
      yield* announce([1, 2, 3].map((sub) => ({ kind: "fill", ref: 7n, sub })))
      const read = (query: string) =>
        Effect.map(askWith(key, `/v1/events?after=${before.newest_seq}${query}`), ({ json }) => [
          json.entries,
          json.events.map(({ type }: { type: string }) => type),
          json.has_more,
        ])
      assert.deepStrictEqual(yield* read("&limit=2"), [2, ["event", "trade", "event", "trade"], true])
      assert.deepStrictEqual(yield* read("&limit=2&event_types=trade"), [2, ["trade", "trade"], true])
      assert.deepStrictEqual(yield* read("&event_types=score"), [0, [], false])
      assert.deepStrictEqual((yield* read(""))[0], 3)
    }),
  )

  it.effect("a gap is reported when events are no longer retained", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const { sql } = yield* Postgres
      yield* sql`delete from event_log where seq <= 100`
      const { json } = yield* askWith(key, "/v1/events?after=40&limit=1")
      assert.deepInclude(json, { gap: true, oldest_seq: 101 })
      assert.deepInclude((yield* askWith(key, "/v1/events?after=100&limit=1")).json, { gap: false })
      assert.deepInclude((yield* askWith(key, "/v1/events?limit=1")).json, { gap: false, oldest_seq: 101 })
    }),
  )

  it.effect("a position in another log is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const other = yield* askWith(key, "/v1/events?after=5&epoch=another")
      assert.strictEqual(other.status, 409)
      assert.match(other.json.error, /a different event log/)
      assert.strictEqual((yield* askWith(key, "/v1/events?after=999999999")).status, 409)
    }),
  )

  it.effect("invalid parameters and insufficient plans are refused with the reason", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("starter")
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=1001", "limit"],
        ["limit=many", "limit"],
        ["after=-1", "after"],
        ["after=1.5", "after"],
        ["after=99999999999999999999", "after"],
        ["event_types=fill,nothing", "event_types"],
        ["event_types=", "event_types"],
        ["before=3", "before"],
      ]) {
        const { status, json } = yield* askWith(key, `/v1/events?${query}`)
        assert.strictEqual(status, 400, query)
        assert.strictEqual(json.param, param, query)
      }
      const { json } = yield* askWith(key, "/v1/events?event_types=fills")
      for (const type of eventTypes) assert.include(json.error, type)
      const free = yield* askWith((yield* keyOf("free")).key, "/v1/events")
      assert.strictEqual(free.status, 402)
      assert.strictEqual((yield* askWith("nonsense", "/v1/events")).status, 401)
    }),
  )
})
