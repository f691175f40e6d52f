import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { nameStore } from "#src/catalogue/NameStore.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { type ExpectedRow, expectedStats } from "#test/market-stats/support/expectedStats.ts"
import { assertIncludes } from "#test/support/assertIncludes.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { ledgerServer } from "./support/ledgerServer.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const seed = 71
const server = ledgerServer({}, isSoak ? undefined : followedHistory(seed))
let simulation: Simulation

type Shown = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string>>>

const found = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  return json
})

/** All pages of a list. Answers are cached by their limit, among others. */
const everyRow = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<Shown> = []
  const blocks = new Set<number>()
  for (let next = ""; ; ) {
    const json = yield* found(key, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${next}`)
    assert.deepInclude(json, { limit, rows_returned: json.data.length, has_more: json.next_cursor !== null })
    rows.push(...json.data)
    blocks.add(json.as_of.block_number)
    if (!json.has_more) {
      assert.deepStrictEqual([...blocks], [simulation.head])
      return { rows, at: json.as_of.block_time as number, isComplete: json.windows_complete as boolean }
    }
    next = `&cursor=${json.next_cursor}`
  }
})

const nameOf = (row: Shown) => String(row["condition_id"] ?? row["slug"])

/** Every figure of every market and event against the facts. */
const assertFigures = Effect.fnUntraced(function* (key: string, limit: number) {
  const shown = yield* everyRow(key, "/v3/markets/stats", limit)
  const events = yield* everyRow(key, "/v3/events/stats", limit)
  assert.isTrue(shown.isComplete)
  const expected = yield* expectedStats(simulation, shown.at)
  const compare = (rows: ReadonlyArray<Shown>, wanted: ReadonlyArray<ExpectedRow>) => {
    const byName = new Map(rows.map((row) => [nameOf(row), row]))
    assert.strictEqual(byName.size, rows.length)
    for (const { name, figures, status, liquidity } of wanted)
      assertIncludes(byName.get(name), { ...figures, status, liquidity }, name)
  }
  compare(shown.rows, expected.markets)
  compare(events.rows, expected.events)
  return { ...expected, shown: shown.rows }
})

/** Numbers that lists are sorted by; undefined comes last. */
const keyOfSort = (sort: string, { figures, liquidity, createdAt, endsAt, priceChange }: ExpectedRow) => {
  const known = (value: number | null) => value ?? undefined
  switch (sort) {
    case "liquidity":
      return known(liquidity === null ? null : Number(liquidity))
    case "newest":
      return known(createdAt)
    case "ending_soonest":
      return endsAt === null ? undefined : -endsAt
    case "price_change_24h":
      return known(priceChange)
    case "price_move_24h":
      return priceChange === null ? undefined : Math.abs(priceChange)
    default:
      return Number(figures[sort])
  }
}

const sorted = (rows: ReadonlyArray<ExpectedRow>, sort: string, order: "desc" | "asc") => {
  const direction = order === "desc" ? 1 : -1
  return rows.toSorted((a, b) => {
    const [x, y] = [keyOfSort(sort, a), keyOfSort(sort, b)]
    if (x === y) return (b.id - a.id) * direction
    if (x === undefined) return 1
    return y === undefined ? -1 : (y - x) * direction
  })
}

/** An id with its last digits exchanged for others. */
const changed = (id: string) => `${id.slice(0, -2)}${id.endsWith("77") ? "88" : "77"}`

let expected: Effect.Success<ReturnType<typeof assertFigures>>
let figuresAt = 0

layer(server, { excludeTestServices: true })("Lists of markets", (it) => {
  it.effect("have the figures of every window through reorganisations, and of markets that are listed late", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      assert.strictEqual((yield* askWith(key, "/v3/markets?limit=7")).status, 503)
      const scale = isSoak ? "tiny" : "brief"
      const venue = yield* followedVenue(seed, { rate: isSoak ? 20 : 8, scale })
      simulation = venue.simulation
      const { tokens } = simulation.model.world.venue
      const { tx } = yield* Postgres
      const parts = isSoak ? 3 : 16
      const list = (part: number) =>
        Effect.provide(
          Effect.flatMap(catalogueLoader(tx), ({ ensureTokens }) =>
            ensureTokens(tokens.filter(({ market }) => market.index % parts === part).map(({ hex }) => hex)),
          ),
          venue.upstreams,
        )
      yield* Effect.gen(function* () {
        const following = yield* startFollower
        yield* caughtUp(simulation, following)
        yield* list(1)
        yield* refreshMarketStats
        yield* assertFigures(key, 300)
        simulation.advance(20_000)
        yield* caughtUp(simulation, following)
        yield* refreshMarketStats
        simulation.reorg(8)
        simulation.advance(20_000)
        yield* caughtUp(simulation, following)
        yield* refreshMarketStats
        yield* assertFigures(key, 299)
        yield* list(2)
        simulation.reorg(3)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* refreshMarketStats
      }).pipe(Effect.provide(nodeAt(venue.url)), Effect.scoped)
      expected = yield* assertFigures(key, 298)
      figuresAt = (yield* found(key, "/v3/markets?limit=1")).as_of.block_time
      const { markets, events } = expected
      assert.isTrue(markets.some(({ slug }) => slug === null))
      assert.isTrue(markets.some(({ priceChange }) => priceChange !== null && priceChange !== 0) || scale === "brief")
      assert.isAbove(events.length, 20)
      assert.isTrue(markets.some(({ figures }) => figures["trades_1h"] !== figures["trades_24h"]))
      for (const wanted of events.slice(0, isSoak ? 50 : 8)) {
        const { data } = yield* found(key, `/v3/events?slug=${wanted.name}`)
        assert.lengthOf(data, 1)
        assert.deepInclude(data[0], {
          ...wanted.figures,
          condition_ids: wanted.conditions,
          market_count: wanted.conditions.length,
          category: wanted.category,
          tag_slugs: wanted.tags,
          neg_risk: wanted.negRisk,
          status: wanted.status,
        })
      }
    }),
  )

  it.effect("have every row once in the order of any sort, whatever the page", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { markets, events } = expected
      const sorts = ["volume_1h", "volume_all", "trades_24h", "unique_traders_30d", "liquidity", "newest"]
      const all = [
        ...[...sorts, "price_change_24h", "price_move_24h"].map((sort) => ["markets", markets, sort] as const),
        ...sorts.map((sort) => ["events", events, sort] as const),
      ]
      // Every sort, of markets or of events.
      const isTaken = (path: string, i: number) => i < 0 || (path === "markets") === (i % 2 === 0)
      const cases = all.filter(([path, , sort]) => isSoak || isTaken(path, sorts.indexOf(sort)))
      for (const [i, [path, rows, sort]] of cases.entries()) {
        const order = i % 2 === 0 ? "desc" : "asc"
        const limit = Math.min(300, Math.ceil(rows.length / 3))
        const { rows: shown } = yield* everyRow(key, `/v3/${path}?sort=${sort}&order=${order}`, limit)
        assert.deepStrictEqual(
          shown.map(nameOf),
          sorted(rows, sort, order).map(({ name }) => name),
          `${path} ${sort} ${order}`,
        )
      }
      const { data } = yield* found(key, "/v3/markets?sort=trades_all&offset=5&limit=5")
      const names = sorted(markets, "trades_all", "desc").map(({ name }) => name)
      assert.deepStrictEqual(data.map(nameOf), names.slice(5, 10))
      const { rows: upcoming } = yield* everyRow(key, "/v3/markets?sort=ending_soonest", 300)
      const ahead = markets.filter(({ endsAt }) => endsAt !== null && endsAt >= figuresAt)
      assert.isAbove(ahead.length, 0)
      assert.deepStrictEqual(
        upcoming.map(nameOf),
        sorted(ahead, "ending_soonest", "desc").map(({ name }) => name),
      )
      for (const [i, row] of data.entries()) {
        const wanted = markets.find(({ name }) => name === names[5 + i])
        assert.deepInclude(row, { price: wanted?.price, price_change_24h: wanted?.priceChange })
        const { data: one } = yield* found(key, `/v3/markets/condition/${row.condition_id}`)
        assert.deepInclude(row, { ...one[0], liquidity: row.liquidity })
      }
    }),
  )

  it.effect("have what any combination of filters leaves", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { markets, events } = expected
      const tags = [...new Set(markets.flatMap((row) => row.tags))]
      const categories = [...new Set(markets.flatMap((row) => row.category ?? []))]
      const pick = <A>(items: ReadonlyArray<A>, i: number) => items[(i * 7 + 3) % items.length] as A
      const middle = (of: (row: ExpectedRow) => number) =>
        markets.map(of).toSorted((a, b) => a - b)[markets.length >> 1] ?? 0
      const usd = middle(({ figures }) => Number(figures["volume_all"]))
      const liquidity = middle((row) => Number(row.liquidity ?? 0))
      const end = middle(({ endsAt }) => endsAt ?? 0)
      const slugs = markets.flatMap(({ event }) => event ?? [])
      const filters: ReadonlyArray<(i: number) => readonly [string, (row: ExpectedRow) => boolean]> = [
        (i) => [`tag=${pick(tags, i)}`, (row) => row.tags.includes(pick(tags, i))],
        (i) => [`category=${pick(categories, i)}`, (row) => row.category === pick(categories, i)],
        (i) => [
          `status=${pick(["open", "resolved", "closed"], i)}`,
          (row) => row.status === pick(["open", "resolved", "closed"], i),
        ],
        (i) => [`neg_risk=${i % 2 === 0}`, (row) => row.negRisk === (i % 2 === 0)],
        () => [`min_volume=${usd}`, ({ figures }) => Number(figures["volume_all"]) >= usd],
        () => ["min_volume_24h=1.5", ({ figures }) => Number(figures["volume_24h"]) >= 1.5],
        () => [`min_liquidity=${liquidity}`, (row) => row.liquidity !== null && Number(row.liquidity) >= liquidity],
        () => [`end_after=${end}`, ({ endsAt }) => endsAt !== null && endsAt >= end],
        () => [`end_before=${end}`, ({ endsAt }) => endsAt !== null && endsAt < end],
      ]
      let isEmpty = 0
      for (let i = 0; i < (isSoak ? 36 : 18); i++) {
        const chosen = [filters[i % 9], ...(i < 9 ? [] : [filters[(i * 5 + 2) % 9]])].flatMap((make) => make?.(i) ?? [])
        const pairs = chosen.filter((each) => typeof each === "string")
        const holds = chosen.filter((each) => typeof each !== "string")
        if (pairs.some((text) => text.startsWith("end_after")) && pairs.some((text) => text.startsWith("end_before")))
          continue
        for (const [path, rows] of [
          ["markets", markets],
          ["events", events],
        ] as const) {
          const wanted = sorted(
            rows.filter((row) => holds.every((condition) => condition(row))),
            "volume_all",
            "desc",
          )
          if (wanted.length === 0) isEmpty += 1
          const query = `/v3/${path}/stats?sort=volume_all&limit=300&${[...new Set(pairs)].join("&")}`
          const { data } = yield* found(key, query)
          assert.deepStrictEqual(
            data.map(nameOf),
            wanted.slice(0, 300).map(({ name }) => name),
            query,
          )
        }
      }
      assert.isBelow(isEmpty, isSoak ? 36 : 18)
      for (const slug of [pick(slugs, 1), pick(slugs, 5)]) {
        const { data } = yield* found(key, `/v3/markets?event=${slug}&limit=300`)
        assert.sameMembers(
          data.map(nameOf),
          markets.filter(({ event }) => event === slug).map(({ name }) => name),
        )
      }
      const listed = markets.find(({ slug }) => slug !== null)
      for (const query of [
        `slug=${listed?.slug}`,
        `condition_id=${listed?.name}`,
        `slug=${listed?.slug}&event=${listed?.event}`,
      ])
        assert.deepStrictEqual(
          (yield* found(key, `/v3/markets/stats?${query}`)).data.map(nameOf),
          [listed?.name],
          query,
        )
    }),
  )

  it.effect("are cached as JSON, and have other formats", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const path = "/v3/events/stats?limit=3&sort=trades_all"
      const first = yield* askWith(key, path)
      assert.strictEqual(first.headers["x-cache"], "miss")
      for (const _ of [1, 2]) {
        const again = yield* askWith(key, path)
        assert.strictEqual(again.headers["x-cache"], "hit")
        assert.strictEqual(again.text, first.text)
        assert.match(String(again.headers["x-data-age-ms"]), /^\d+$/)
        const csv = yield* askWith(key, path, { headers: { accept: "text/csv" } })
        assert.match(csv.text, /^event_id,slug,title,status,market_count,/)
        assert.lengthOf(csv.text.trim().split("\n"), 4)
      }
      const lines = yield* askWith(key, path, { headers: { accept: "application/x-ndjson" } })
      assert.deepStrictEqual(
        lines.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
        first.json.data,
      )
    }),
  )

  it.effect("refuse what does not exist or makes no sense, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { markets } = expected
      const listed = markets.filter(({ slug }) => slug !== null)
      const [one] = listed
      const other = listed.find(({ event }) => event !== one?.event)
      const tag = one?.tags[0] ?? ""
      const { next_cursor } = yield* found(key, "/v3/markets?limit=2")
      const refused = [
        ["/v3/markets?status=done", 400, /"open".*"closed".*"resolved"/],
        ["/v3/markets?sort=name", 400, /"volume_1h".*"price_move_24h"/],
        ["/v3/events?sort=price_change_24h", 400, /"volume_1h".*"ending_soonest"/],
        ["/v3/events/stats?order=up", 400, /"desc".*"asc"/],
        ["/v3/markets?neg_risk=maybe", 400, /"true".*"false"/],
        ["/v3/markets?min_volume=-1", 400, /dollars from 0/],
        ["/v3/markets?min_liquidity=much", 400, /min_liquidity/],
        ["/v3/markets?end_after=1794700800000", 400, /looks like milliseconds/],
        ["/v3/markets?end_after=20&end_before=10", 400, /`end_after` must be less than `end_before`/],
        ["/v3/markets?offset=10001", 400, /use `cursor`/],
        ["/v3/markets?limit=many", 400, /limit/],
        ["/v3/markets?cursor=x", 400, /unchanged `next_cursor`/],
        [`/v3/markets?sort=newest&cursor=${next_cursor}`, 400, /belongs to another query/],
        ["/v3/markets?condition_id=0x12", 400, /64 hexadecimal digits/],
        ["/v3/markets?color=red", 400, /color/],
        [`/v3/markets?tag=${tag}x`, 404, new RegExp(`no tag.*Did you mean "${tag}"`)],
        ["/v3/markets?category=nothing", 404, /no category/],
        [`/v3/markets/stats?slug=${one?.slug}x`, 404, new RegExp(`no market.*Did you mean "${one?.slug}"`)],
        [`/v3/markets?event=${one?.event}x`, 404, new RegExp(`no event.*Did you mean "${one?.event}"`)],
        [`/v3/events/stats?slug=${one?.event}x`, 404, new RegExp(`no event.*Did you mean "${one?.event}"`)],
        // A mistake in the first letters, and a missing word.
        [`/v3/markets/stats?slug=x${one?.slug}`, 404, new RegExp(`Did you mean "${one?.slug}"`)],
        [`/v3/markets?event=x-${one?.event}`, 404, new RegExp(`Did you mean "${one?.event}"`)],
        [`/v3/markets/stats?condition_id=0x${"ab".repeat(32)}`, 404, /no condition/],
        [`/v3/markets/stats?condition_id=${changed(one?.name ?? "")}`, 404, new RegExp(`Did you mean "${one?.name}"`)],
        [`/v3/markets?slug=${one?.slug}&event=${other?.event}`, 400, /exclude each other: slug, event/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      const { key: free } = yield* keyOf("free")
      for (const path of ["markets", "events", "markets/stats", "events/stats"])
        assert.strictEqual((yield* askWith(free, `/v3/${path}`)).status, 402, path)
      assert.strictEqual((yield* found(key, "/v3/markets?limit=0")).limit, 1)
      assert.strictEqual((yield* found(key, "/v3/markets?limit=1000")).limit, 300)
      assert.lengthOf((yield* found(key, `/v3/markets?tag=${tag}&min_volume=1000000000`)).data, 0)
    }),
  )

  it.effect("an unknown slug is not searched for if its neighbours tell what was meant, and never with typos", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const slug = expected.markets.flatMap((market) => market.slug ?? [])[0] ?? ""
      const { unknown } = nameStore(sql)
      /** What is suggested while something is missing. */
      const nearestWithout = (missing: "function search_similar" | "table search_word cascade", value: string) =>
        Effect.andThen(sql`drop ${sql.literal(missing)}`, unknown({ kind: "market", value })).pipe(
          Effect.flatMap(({ nearest }) => Effect.fail({ _tag: "Found", nearest } as const)),
          sql.withTransaction,
          Effect.catchTag("Found", ({ nearest }) => Effect.succeed(nearest)),
        )
      assert.strictEqual(yield* nearestWithout("table search_word cascade", `${slug}x`), slug)
      assert.strictEqual(yield* nearestWithout("function search_similar", `x${slug}`), slug)
    }),
  )
})
