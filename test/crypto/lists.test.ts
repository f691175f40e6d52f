import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ActiveMarkets } from "#src/crypto/ActiveMarkets.ts"
import { MarketList } from "#src/crypto/MarketList.ts"
import { SeriesList } from "#src/crypto/SeriesList.ts"
import { coins } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { fault, heal } from "#test/ticks/support.ts"
import { clearCatalogue, cryptoVenue, foundation, secondsOf } from "./support.ts"

const active = Effect.flatMap(ActiveMarkets, ({ current }) => current)
const slugsAt = (start: number) => coins.map((coin) => `${coin.toLowerCase()}-updown-5m-${start}`)

type Json = Readonly<Record<string, unknown>>

/** Reads the venue's catalogue directly, bypassing faults and the code under test. */
const gammaOf = (simulation: Simulation) => {
  const serve = gammaService(simulation)
  const ask = (path: string, query: string) => {
    const target = `${path}?${query}`
    const { body } = serve({ method: "GET", path, query: new URLSearchParams(query), target, headers: {}, body: "" })
    return JSON.parse(body)
  }
  return {
    series: () => ask("/series", "limit=500") as ReadonlyArray<Json>,
    event: (slug: string) => (ask("/events", `slug=${slug}`) as ReadonlyArray<Json>)[0] ?? {},
    open: () => {
      const found: Array<Json> = []
      let after: unknown
      do {
        const cursor = after === undefined ? "" : `&after_cursor=${after}`
        const page = ask("/events/keyset", `closed=false&tag_slug=crypto&limit=500${cursor}`) as Json
        found.push(...(page["events"] as ReadonlyArray<Json>))
        after = page["next_cursor"]
      } while (after !== undefined)
      return found
    },
  }
}

const marketsOf = (event: Json) => event["markets"] as ReadonlyArray<Json>
const instant = (value: unknown) => new Date(String(value)).toISOString()
const list = (value: unknown) => JSON.parse(String(value)) as ReadonlyArray<string>
const rounded = (value: unknown) => Number(Number(value).toFixed(6))

const expectedEvent = (event: Json) => ({
  id: event["id"],
  slug: event["slug"],
  title: event["title"],
  startDate: instant(event["startDate"]),
  endDate: instant(event["endDate"]),
  active: event["active"],
  volume: rounded(event["volume"]),
  volume24hr: rounded(event["volume24hr"]),
  liquidity: rounded(event["liquidity"]),
  openInterest: rounded(event["openInterest"]),
  seriesSlug: event["seriesSlug"] ?? "",
  markets: marketsOf(event).map((market) => ({
    id: market["id"],
    question: market["question"],
    conditionId: market["conditionId"],
    outcomes: list(market["outcomes"]),
    outcomePrices: list(market["outcomePrices"]).map(Number),
    volume: rounded(market["volume"]),
    liquidity: rounded(market["liquidity"]),
    active: market["active"],
    closed: market["closed"],
    groupItemTitle: market["groupItemTitle"] ?? "",
  })),
})

const expectedEntry = (event: Json) => ({
  id: event["id"],
  slug: event["slug"],
  title: event["title"],
  active: event["active"],
  closed: event["closed"],
  startDate: instant(event["startDate"]),
  endDate: instant(event["endDate"]),
  markets: marketsOf(event).map((market) => ({
    question: market["question"],
    conditionId: market["conditionId"],
    outcomes: '["Up","Down"]',
    outcomePrices: list(market["outcomePrices"]).map(Number),
    tokenId: list(market["clobTokenIds"])[0],
    active: market["active"],
    closed: market["closed"],
  })),
})

layer(foundation, { excludeTestServices: true })("Crypto lists", (it) => {
  it.effect("contain the venue's open events, most traded first, and all series", () =>
    Effect.gen(function* () {
      yield* clearCatalogue
      const { simulation, load, ask } = yield* cryptoVenue(81)
      yield* load
      const gamma = gammaOf(simulation)
      const now = simulation.now()
      const venue = gamma.open()
      const isShort = ({ recurrence }: Json) => ["5m", "15m", "hourly", "4h"].includes(String(recurrence))
      const ends = ({ endDate }: Json) => Date.parse(String(endDate))
      const expected = venue.filter(
        (event) => !isShort(event) || (ends(event) > now && ends(event) <= now + 86_400_000),
      )
      assert.isBelow(expected.length, venue.length, "some short events are left out")
      const recurrences = new Set(expected.map(({ recurrence }) => recurrence))
      assert.includeMembers([...recurrences], ["5m", "15m", "hourly", "4h", "daily", "weekly"])

      const { value, dataAt } = yield* ask(Effect.flatMap(MarketList, ({ open }) => open))
      const byId = (a: { readonly id: unknown }, b: { readonly id: unknown }) => Number(a.id) - Number(b.id)
      const actual: ReadonlyArray<object> = value.events.toSorted(byId)
      assert.deepStrictEqual(actual, expected.map(expectedEvent).sort(byId))
      const volumes = value.events.map(({ volume24hr }) => volume24hr)
      assert.deepStrictEqual(
        volumes,
        volumes.toSorted((a, b) => b - a),
      )
      assert.isAbove(volumes[0] ?? 0, 0)
      assert.isAtMost(dataAt, now)

      const { sql } = yield* Postgres
      const allSeries = ask(Effect.flatMap(SeriesList, ({ all }) => all))
      yield* sql`insert into catalogue_progress (name, at) values ('closed-since', '2020-01-01')`
      const { series, count } = (yield* allSeries).value
      const crypto = gamma.series().filter(({ slug }) => !String(slug).endsWith("-games"))
      assert.strictEqual(count, crypto.length)
      const named: ReadonlyArray<object> = series.map(({ eventCount: _, ...rest }) => rest).sort(byId)
      assert.deepStrictEqual(
        named,
        crypto
          .map(({ id, slug, title, recurrence, active: isActive }) => ({
            id,
            slug,
            title,
            recurrence: recurrence === "hourly" ? "1h" : recurrence,
            active: isActive,
          }))
          .sort(byId),
      )
      const counts = yield* sql<{ slug: string; count: number }>`
        select series_slug as slug, count(*)::int as count from event where series_slug is not null group by 1`
      const bySlug = new Map(counts.map((row) => [row.slug, row.count]))
      for (const { slug, eventCount } of series) assert.strictEqual(eventCount, bySlug.get(slug) ?? null)
      assert.strictEqual(series[0]?.recurrence, "5m")

      // Series with events that closed too early to be read have no wrong number of events.
      yield* sql`update catalogue_progress set at = '2100-01-01' where name = 'closed-since'`
      for (const { eventCount } of (yield* allSeries).value.series) assert.isNull(eventCount)
    }),
  )

  it.effect("show the current window of all seven coins, and the next one from its first millisecond", () =>
    Effect.gen(function* () {
      yield* clearCatalogue
      const { simulation, loadNamed, ask } = yield* cryptoVenue(82)
      const gamma = gammaOf(simulation)
      simulation.advance(120_000)
      const start = secondsOf(simulation) - (secondsOf(simulation) % 300)
      yield* loadNamed([...slugsAt(start), ...slugsAt(start + 300)])
      const shows = (windowStart: number) =>
        Effect.gen(function* () {
          const { value, until } = yield* ask(active)
          assert.strictEqual(value.count, 7)
          assert.strictEqual(value.windowStart, windowStart)
          assert.strictEqual(until, (windowStart + 300) * 1000)
          const actual: ReadonlyArray<object> = value.markets
          assert.deepStrictEqual(
            actual,
            slugsAt(windowStart).map((slug) => expectedEntry(gamma.event(slug))),
          )
        })
      yield* shows(start)

      // The data is as old as the newest update of these windows by any process.
      const { sql } = yield* Postgres
      const recordUpdate = (process: string, at: number) =>
        sql`insert into source_status (source, process, since, figures)
          values ('catalogue', ${process}, now(), ${JSON.stringify({ moments: { "up and down windows": at } })}::jsonb)`
      yield* recordUpdate("one", simulation.now() - 4_000.5)
      yield* recordUpdate("other", simulation.now() - 60_000)
      assert.approximately((yield* ask(active)).dataAt, simulation.now() - 4_000, 1)

      simulation.advance((start + 300) * 1000 - 1 - simulation.now())
      yield* loadNamed(slugsAt(start))
      yield* shows(start)
      simulation.advance(1)
      yield* loadNamed(slugsAt(start + 300))
      yield* shows(start + 300)
    }),
  )

  it.effect("fetch windows missing in the catalogue from the venue and never show another window instead", () =>
    Effect.gen(function* () {
      yield* clearCatalogue
      const { simulation, url, loadNamed, ask } = yield* cryptoVenue(83)
      const gamma = gammaOf(simulation)
      const start = secondsOf(simulation) - (secondsOf(simulation) % 300)
      const [btc = "", ...others] = slugsAt(start)
      yield* loadNamed([...others.slice(0, 3), ...slugsAt(start - 300)])
      const filled = yield* ask(active)
      const actual: ReadonlyArray<object> = filled.value.markets
      assert.deepStrictEqual(
        actual,
        slugsAt(start).map((slug) => expectedEntry(gamma.event(slug))),
      )
      assert.strictEqual(filled.until, (start + 300) * 1000)

      yield* fault(url, { upstream: "gamma", channel: "http", kind: "down" })
      const { value, until } = yield* ask(active)
      assert.deepStrictEqual(
        value.markets.map(({ slug }) => slug),
        slugsAt(start),
      )
      assert.deepInclude(value.markets[0], { id: "", slug: btc, active: false, closed: false, markets: [] })
      assert.deepInclude(value.markets[0], { endDate: new Date((start + 300) * 1000).toISOString() })
      const listed = value.markets.filter(({ markets }) => markets.length > 0)
      assert.deepStrictEqual(
        listed.map(({ slug }) => slug),
        others.slice(0, 3),
      )
      assert.strictEqual(until, simulation.now() + 2_000, "an incomplete answer is cached briefly")
      yield* heal(url)
    }),
  )
})
