import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { catalogueWriter } from "#src/catalogue/CatalogueWriter.ts"
import { indexMissing } from "#src/catalogue/searchDocuments.ts"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkSearch } from "#src/repair/verify/search.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { judgedQueries } from "#test/search/judged.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1" })),
)

const isSoak = process.env.PRESAGE_SOAK === "1"

type Found = Readonly<Record<string, unknown>> & {
  readonly condition_id: string
  readonly question: string
  readonly slug: string
  readonly closed: boolean
  readonly match: string
}

let venue: Effect.Success<ReturnType<typeof followedVenue>>
let events: ReadonlyArray<CatalogueEvent>
let key: string

/** Loads everything that the venue lists, open and closed. */
const load = Effect.gen(function* () {
  venue = yield* followedVenue(62)
  const { tx } = yield* Postgres
  const all: Array<CatalogueEvent> = []
  yield* Effect.gen(function* () {
    const gamma = yield* Gamma
    const write = yield* catalogueWriter(tx)
    for (const closed of [false, true]) {
      let after: string | undefined
      do {
        const page = yield* gamma.events({ closed }, { limit: 500, after })
        yield* write({ events: page.items, requestedAt: venue.now() })
        all.push(...page.items)
        after = page.next
      } while (after !== undefined)
    }
  }).pipe(Effect.provide(venue.upstreams))
  events = all
  key = (yield* keyOf("enterprise")).key
})

const search = (q: string, more = "") =>
  Effect.gen(function* () {
    const { status, json, text } = yield* askWith(key, `/v3/markets/search?q=${encodeURIComponent(q)}${more}`)
    assert.strictEqual(status, 200, `${q}: ${text}`)
    assert.strictEqual(json.rows_returned, json.data.length)
    assert.strictEqual(json.has_more, json.next_cursor !== null)
    return json as { data: ReadonlyArray<Found>; has_more: boolean; next_cursor: string | null; query: string }
  })

const everyPage = Effect.fnUntraced(function* (q: string, limit: number) {
  const rows: Array<Found> = []
  for (let next = ""; ; ) {
    const page = yield* search(q, `&limit=${limit}${next}`)
    rows.push(...page.data)
    if (page.next_cursor === null) return rows
    assert.strictEqual(page.data.length, limit)
    next = `&cursor=${page.next_cursor}`
  }
})

/** Words by another rule than ours, for texts of plain English. */
const plainWords = (text: string) =>
  new Set(
    text
      .toLowerCase()
      .replace(/(\d),(\d{3})/g, "$1$2")
      .match(/\d+\.\d+|[a-z0-9]+/g),
  )

const listed = () =>
  events.flatMap((event) =>
    event.markets.map((market) => ({
      market,
      question: plainWords(market.question),
      any: plainWords(
        [
          market.question,
          market.slug,
          event.title,
          ...market.outcomes.filter((each) => !/^(yes|no)$/i.test(each)),
        ].join(" ; "),
      ),
    })),
  )

const slugsOf = (rows: ReadonlyArray<Found>) => rows.map(({ slug }) => slug)

layer(server, { excludeTestServices: true })("Search of markets", (it) => {
  it.effect("finds what people mean", () =>
    Effect.gen(function* () {
      yield* load
      const wrong: Array<string> = []
      for (const { what, query, first, match } of judgedQueries) {
        const { data } = yield* search(query, "&limit=10")
        const shown = data.slice(0, 3).map((row) => `${row.match}: ${row.question} (${row.slug})`)
        const isRight = data[0]?.match === match && first.every((expected, i) => expected.test(data[i]?.question ?? ""))
        if (!isRight) wrong.push(`${what}: ${query}\n  ${shown.join("\n  ")}`)
      }
      assert.deepStrictEqual(wrong, [])
    }),
  )

  it.effect("lists every market that has the words, each once, on pages of any size", () =>
    Effect.gen(function* () {
      const all = listed()
      const queries = ["november ", "up or down ", "will ", "inter miami ", "bitcoin price ", "okafor ", "above 20 "]
      let longest = 0
      for (const query of queries) {
        const words = query.trim().split(" ")
        const expected = all.filter(({ any }) => words.every((word) => any.has(word))).map(({ market }) => market.slug)
        assert.isAbove(expected.length, 0, query)
        const rows = yield* everyPage(query, 300)
        const found = expected.length < 10 ? rows.filter(({ match }) => match !== "similar") : rows
        assert.deepStrictEqual(slugsOf(found).toSorted(), expected.toSorted(), query)
        longest = Math.max(longest, expected.length)
        if (expected.length < (isSoak ? 1_000 : 300))
          assert.deepStrictEqual(slugsOf(yield* everyPage(query, 70)), slugsOf(rows), query)
      }
      assert.isAbove(longest, 1_500, "no query has so many results that they are read in parts")
    }),
  )

  it.effect("shows open markets and those with more volume first, where the words match equally well", () =>
    Effect.gen(function* () {
      const all = new Map(listed().map((each) => [each.market.slug, each]))
      for (const query of ["bitcoin ", "miami ", "okafor ", "ethereum price "]) {
        const { data } = yield* search(query, "&limit=300")
        const places = data.map(({ slug, match, volume_all_time }) => {
          const { market, question } = all.get(slug) as NonNullable<ReturnType<typeof all.get>>
          assert.strictEqual(Number(volume_all_time), (market.volume ?? 0) / 1e6)
          const isNamed = query
            .trim()
            .split(" ")
            .every((word) => question.has(word))
          const isOpen = market.active && !market.closed && !market.archived
          const stage = ["exact", "phrase", "words", "prefix", "similar", "some"].indexOf(match)
          return { stage: match === "words" && !isNamed ? stage + 0.5 : stage, isOpen, volume: market.volume ?? 0 }
        })
        assert.isAbove(places.length, 5, query)
        for (const [i, place] of places.entries()) {
          const before = places[i - 1]
          if (before === undefined || before.stage < place.stage) continue
          assert.strictEqual(before.stage, place.stage, `${query} ${i}`)
          if (before.isOpen && !place.isOpen) continue
          assert.strictEqual(before.isOpen, place.isOpen, `${query} ${i}`)
          // Volumes within an eighth of each other count as equal.
          assert.isAtLeast(before.volume * 1.13 + 1e6, place.volume, `${query} ${i}`)
        }
      }
    }),
  )

  it.effect("has the fields of a market", () =>
    Effect.gen(function* () {
      const { data, query } = yield* search("Clean  Rivers!", "&limit=1")
      const [event] = events.filter(({ title }) => title.includes("Clean Rivers"))
      const market = event?.markets.find(({ slug }) => slug === data[0]?.slug)
      assert.isDefined(market)
      assert.strictEqual(query, "clean rivers")
      assert.deepInclude(data[0], {
        condition_id: `0x${market.condition}`,
        question: market.question,
        category: event?.category ?? null,
        active: market.active,
        closed: market.closed,
        tag_slugs: event?.tags.map(({ slug }) => slug),
        event_title: event?.title,
        outcomes: market.outcomes,
        winning_outcome_index: null,
        match: "phrase",
      })
    }),
  )

  it.effect("follows the catalogue", () =>
    Effect.gen(function* () {
      const { tx } = yield* Postgres
      const write = yield* Effect.provide(catalogueWriter(tx), venue.upstreams)
      const event = events.find(({ markets }) => markets.length > 2 && !markets[0]?.closed)
      assert.isDefined(event)
      const [first, second] = event.markets
      if (first === undefined || second === undefined) return assert.fail("the event has too few markets")
      const words = Effect.fnUntraced(function* (text: string) {
        const { data } = yield* search(text, "&limit=300")
        return data.filter(({ match }) => match !== "similar" && match !== "some")
      })
      yield* write({ events: [{ ...event, title: "Qwertyuiop chess" }], requestedAt: venue.now() })
      assert.strictEqual((yield* words("qwertyuiop chess ")).length, event.markets.length)
      const renamed = { ...first, question: "Will Zxcvbnm win?" }
      const others = event.markets.slice(1)
      yield* write({ events: [{ ...event, markets: [renamed, ...others] }], requestedAt: venue.now() })
      assert.deepStrictEqual(slugsOf(yield* words("zxcvbnm")), [first.slug])
      assert.strictEqual((yield* words("qwertyuiop chess ")).length, 0)
      // A closed market goes behind an open one.
      const both = { ...event, markets: [renamed, { ...second, question: "Will Zxcvbnm lose?" }] }
      const order = [first.slug, second.slug]
      for (const closed of [0, 1]) {
        const markets = both.markets.map((market, i) => ({ ...market, active: true, closed: i === closed }))
        yield* write({ events: [{ ...both, markets }], requestedAt: venue.now() })
        const expected = closed === 0 ? order.toReversed() : order
        assert.deepStrictEqual(slugsOf(yield* words("zxcvbnm")), expected)
      }
      yield* write({ events: [event], requestedAt: venue.now() })
      assert.strictEqual((yield* words("zxcvbnm")).length, 0)
    }),
  )

  const wordCounts = Effect.flatMap(
    Postgres,
    ({ sql }) => sql<{ kept: number; wrong: number }>`
      select count(*)::int as kept, count(*) filter (where coalesce(w.documents, 0) <> coalesce(d.documents, 0))::int as wrong
      from search_word w full join (
        select word, count(*) as documents from search_document, unnest(tsvector_to_array(vector)) word
        where word not like '=%' group by word) d using (word)`,
  )

  it.effect("counts words as documents come and change", () =>
    Effect.gen(function* () {
      const [counts] = yield* wordCounts
      assert.strictEqual(counts?.wrong, 0)
      assert.isAbove(counts?.kept ?? 0, 500)
    }),
  )

  it.effect("finds markets that were stored before there was a search", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const before = slugsOf((yield* search("november", "&limit=300")).data)
      yield* sql`truncate search_document, search_word`
      assert.strictEqual((yield* search("november")).data.length, 0)
      yield* indexMissing(sql, tx)
      assert.deepStrictEqual(slugsOf((yield* search("november", "&limit=300")).data), before)
      assert.strictEqual((yield* wordCounts)[0]?.wrong, 0)
    }),
  )

  it.effect("answers hostile queries", () =>
    Effect.gen(function* () {
      const fine = [
        ...["'", '"', "' or 1=1 --", "a & b | !c", "a <-> b:*", "(((", "\\", "%", "%%%", "_", "*", "a:*A", "-", "$1"],
        ...[
          "the",
          "will the",
          "a",
          "b",
          "1",
          "é",
          "🙂",
          "🙂 bitcoin",
          "東京",
          "مرحبا",
          "ß",
          "\u202ebitcoin",
          "İstanbul",
        ],
        ...["x ".repeat(100), "y".repeat(200), "1".repeat(200), "a b c d e f g h i j k l m n o p q r s t u v w x y z"],
        "!".repeat(200),
      ]
      for (const query of fine) yield* search(query)
      assert.deepStrictEqual((yield* search("?!")).data, [])
      const refused = ["", "+", "%20%20", "x".repeat(201), "x".repeat(10_000), "%00", "a%00b", "%ff", "%ed%a0%80"]
      for (const query of refused) {
        const { status, json } = yield* askWith(key, `/v3/markets/search?q=${query}`)
        assert.isTrue(status === 400 || (status === 200 && query.includes("%00")), `${query.slice(0, 20)}: ${status}`)
        if (status === 400) assert.isString(json.error)
      }
      const { status, json } = yield* askWith(key, "/v3/markets/search")
      assert.strictEqual(status, 400)
      assert.match(JSON.stringify(json), /q/)
    }),
  )

  it.effect("is verified: documents and words that do not follow from the catalogue are reported", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const verified = checkSearch({ sql })
      assert.deepInclude(yield* verified, { check: "search", ok: true })
      const [{ id, orphan }] = (yield* sql<{ id: number; orphan: number }>`
        select max(id) as id, max(id) + 1 as orphan from search_document`) as [{ id: number; orphan: number }]
      for (const damage of [
        sql`update search_document set vector = 'wrong:1'::tsvector where id = ${id}`,
        sql`update search_document set rank = rank + 1 where id = ${id}`,
        sql`delete from search_document where id = ${id}`,
        sql`update search_document set id = ${orphan} where id = ${id}`,
        sql`update search_word set documents = documents + 1 where word = 'november'`,
      ]) {
        const report = yield* sql
          .withTransaction(Effect.andThen(damage, verified).pipe(Effect.flatMap((result) => Effect.fail({ result }))))
          .pipe(Effect.flip)
        assert.isFalse("result" in report ? report.result.ok : true, JSON.stringify(report))
      }
      assert.isTrue((yield* verified).ok)
    }),
  )

  it.effect("refuses a cursor of another query, and free keys", () =>
    Effect.gen(function* () {
      const { next_cursor } = yield* search("november", "&limit=5")
      const other = yield* askWith(key, `/v3/markets/search?q=december&limit=5&cursor=${next_cursor}`)
      assert.strictEqual(other.status, 400)
      const free = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free.key, "/v3/markets/search?q=november")).status, 402)
    }),
  )
})
