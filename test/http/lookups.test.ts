import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { BookCache } from "#src/books/BookCache.ts"
import { shardOf } from "#src/books/model.ts"
import { booksShards } from "#src/books/settings.ts"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { TagMarkets, type TagPlace } from "#src/markets/TagMarkets.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { count, nextRange } from "#src/rollups/RollupStore.ts"
import { updateTotals } from "#src/rollups/totals.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"
import { type ExpectedMarket, expectedMarkets, expectedResolutions } from "./support/expectedMarkets.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const server = Layer.provideMerge(BookCache.layer, livedServer(71))

let simulation: Simulation
let all: ReadonlyArray<ExpectedMarket>

const found = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text, headers } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  assert.strictEqual(json.as_of.block_number, simulation.head)
  assert.match(String(headers["x-data-age-ms"]), /^\d+$/)
  assert.isAtLeast(json.elapsed_ms, 0)
  return json
})

/** The limit of a few pages. */
const inPages = ({ length }: ReadonlyArray<unknown>) => Math.min(300, Math.ceil(length / 3))

/** All pages of a list. */
const everyRow = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<Readonly<Record<string, unknown>>> = []
  for (let next = ""; ; ) {
    const json = yield* found(key, `${path}${path.includes("?") ? "&" : "?"}limit=${limit}${next}`)
    const page = json.data ?? json.tags
    assert.deepInclude(json, { limit, offset: 0, rows_returned: page.length, has_more: json.next_cursor !== null })
    rows.push(...page)
    if (!json.has_more) return rows
    next = `&cursor=${json.next_cursor}`
  }
})

const dollars = (micro: string | null | undefined) => (micro ? decimalAmount(BigInt(micro)) : (micro ?? null))

/** Names as the venue has them; null or empty while the market is not listed. */
const namesOf = ({ market, listed, event, legs }: ExpectedMarket) => ({
  question: listed?.question ?? legs,
  slug: listed?.slug ?? null,
  outcomes: listed?.outcomes ?? (market.isCombo ? ["Yes", "No"] : []),
  category: event?.category ?? null,
  closed: listed?.closed ?? null,
  neg_risk: listed?.neg_risk ?? null,
  end_date: listed?.ends_at ?? null,
  event_slug: event?.slug ?? null,
  event_title: event?.title ?? null,
})

const winnerOf = ({ payouts }: ExpectedMarket["market"]) =>
  payouts === undefined || payouts.every((part) => part > 0) ? null : payouts.findIndex((part) => part > 0)

/** Payouts in parts of one, however the contracts count them. */
const partsOf = (payouts: ReadonlyArray<number | string>) => {
  const sum = payouts.reduce((both: number, part) => both + Number(part), 0)
  return payouts.map((part) => Number(part) / sum)
}

const some = <A>(items: ReadonlyArray<A>, most: number) =>
  items.filter((_, i) => i % Math.ceil(items.length / most) === 0)

/** A few of each kind: listed or not, resolved or not, combos. */
const sample = () =>
  [...Map.groupBy(all, ({ market, listed }) => [!listed, !market.payouts, !market.isCombo].join()).values()].flatMap(
    (kind) => some(kind, isSoak ? 15 : 3),
  )

layer(server, { excludeTestServices: true })("Lookups", (it) => {
  it.effect("of conditions and markets have what the venue lists and what the chain says", () =>
    Effect.gen(function* () {
      simulation = yield* livedWorld(71)
      all = yield* expectedMarkets(simulation)
      const { key } = yield* keyOf("enterprise")
      const markets = sample()
      assert.isAbove(markets.length, isSoak ? 40 : 9)
      assert.isTrue(markets.some(({ listed }) => listed === undefined))
      assert.isTrue(markets.some(({ market }) => market.isCombo))
      for (const expected of markets) {
        const { market, listed, event, tokens } = expected
        const id = market.conditionId.padEnd(66, "0")
        const condition = yield* found(key, `/v3/conditions/${market.conditionId.toUpperCase().replace("0X", "0x")}`)
        const ids = tokens.map((token) => token.id)
        assert.deepInclude(condition, { id, position_ids: ids, ...namesOf(expected) })
        assert.deepInclude(condition, { tags: event?.tags ?? [], winning_outcome_index: winnerOf(market) })
        assert.deepInclude(condition, { volume: dollars(listed?.volume), liquidity: dollars(listed?.liquidity) })
        assert.deepStrictEqual(partsOf(condition.payout_numerators), partsOf(market.payouts ?? []), id)
        const sum = condition.payout_numerators.reduce((both: number, part: number) => both + part, 0)
        assert.strictEqual(condition.payout_denominator, market.payouts === undefined ? null : String(sum))
        assert.strictEqual(condition.resolved_at === null, market.payouts === undefined)

        const { data, rows_returned, has_more } = yield* found(key, `/v3/markets/condition/${market.conditionId}`)
        assert.deepStrictEqual([rows_returned, has_more], [1, false])
        const names = namesOf(expected)
        assert.deepInclude(data[0], { condition_id: id, token_ids: ids, token_outcomes: names.outcomes, ...names })
        assert.deepInclude(data[0], { volume_all_time: dollars(listed?.volume), tag_slugs: event?.tags ?? [] })
      }
    }),
  )

  it.effect("of tokens have the payout, else the middle of the book, the last trade or the listed price", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { fills } = yield* allFacts(simulation.head)
      const last = new Map(fills.map((fill) => [fill.token, fill]))
      const sources = new Map<string, string>()
      const resolutions = new Map(expectedResolutions(simulation).map((each) => [each.market, each]))
      for (const expected of sample()) {
        const { market, listed, event } = expected
        const resolution = resolutions.get(market)
        for (const { id, outcome } of expected.tokens) {
          const fill = last.get(id)
          const [price, source, at] = resolution
            ? [partsOf(resolution.payouts)[outcome], "settlement", resolution.at]
            : fill
              ? [Math.round((1e6 * Number(fill.usd)) / Number(fill.shares)) / 1e6, "last_fill", fill.at.getTime()]
              : listed
                ? [exactAmount(listed.prices[outcome] ?? null), "v1_condition", undefined]
                : [null, null, undefined]
          const answer = yield* found(key, `/v3/markets/${id}/price`)
          assert.deepInclude(answer, { token_id: id, price, source, resolved: resolution !== undefined })
          if (at !== undefined) assert.strictEqual(answer.updated_at, new Date(at).toISOString(), id)
          sources.set(source ?? "none", id)
          const { data, rows_returned } = yield* found(key, `/v3/tokens/${id}`)
          const names = namesOf(expected)
          assert.strictEqual(rows_returned, 1)
          assert.deepInclude(data[0], { token_id: id, price, source, tag_slugs: event?.tags ?? [] })
          assert.deepInclude(data[0], {
            condition_id: market.conditionId.padEnd(66, "0"),
            outcome: names.outcomes[outcome] ?? null,
            outcome_index: outcome,
            question: names.question,
            slug: names.slug,
            category: names.category,
          })
        }
      }
      const [traded, settled] = [sources.get("last_fill") ?? "", sources.get("settlement") ?? ""]
      assert.isDefined(sources.get("v1_condition"))
      const shards = (yield* Configuration).get(booksShards)
      const updatedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
      for (const [number, token] of [traded, settled].entries()) {
        const [bid, ask] = [120_000, 200_000]
        const quote = { bid, ask, mid: 160_000, spread: 80_000, lastTrade: null, tickSize: 10_000, updatedAt }
        const depth = { condition: "ab", bids: [], asks: [], tickSize: 10_000, updatedAt }
        const book = { ...depth, epoch: "1", seq: 1, checksum: "00000000", trades: 0 }
        yield* (yield* BookCache).publish(shardOf(token, shards), {
          epoch: 1n,
          number: number + 1,
          heardAt: yield* Clock.currentTimeMillis,
          books: [{ token, shown: { quote, book }, change: undefined }],
        })
      }
      const mid = { price: 0.16, source: "clob_mid", updated_at: "2026-01-02T03:04:05.678Z", resolved: false }
      assert.deepInclude(yield* found(key, `/v3/markets/${traded}/price`), mid)
      assert.strictEqual((yield* found(key, `/v3/markets/${settled}/price`)).source, "settlement")
    }),
  )

  it.effect("of holders and open interest have exactly what wallets hold", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const busiest = all.toSorted((a, b) => b.held.length - a.held.length).slice(0, isSoak ? 8 : 3)
      for (const { market, tokens, held } of [...busiest, ...sample().slice(0, isSoak ? 40 : 8)]) {
        for (const limit of [3, 300]) {
          const { data, has_more, ...rest } = yield* found(
            key,
            `/v3/markets/condition/${market.conditionId}/holders?limit=${limit}`,
          )
          assert.deepInclude(rest, {
            limit,
            rows_returned: data.length,
            condition_id: market.conditionId.padEnd(66, "0"),
          })
          const byToken = tokens.map((token) =>
            held
              .filter((position) => position.token === token && position.shares > 0)
              .sort((a, b) => b.shares - a.shares || (a.wallet < b.wallet ? -1 : 1)),
          )
          assert.strictEqual(
            has_more,
            byToken.some((holders) => holders.length > limit),
          )
          assert.deepStrictEqual(
            data.map((row: Record<string, unknown>) => [row["token_id"], row["rank"], row["wallet"], row["shares"]]),
            byToken.flatMap((holders) =>
              holders.slice(0, limit).map(({ token, wallet, shares }, i) => [token.id, i + 1, wallet, shares / 1e6]),
            ),
          )
          const expected = byToken.flatMap((holders) => holders.slice(0, limit))
          for (const [i, { shares, price }] of expected.entries()) {
            const worth = price === null ? null : (2n * BigInt(shares) * BigInt(price) + 1_000_000n) / 2_000_000n
            assert.strictEqual(data[i].value, worth === null ? null : exactAmount(worth))
          }
        }
      }
      assert.strictEqual((yield* askWith(key, "/v3/oi")).status, 503)
      yield* refreshLeaderboards
      // Counts the newest blocks too, which are not replaced any more.
      const { sql, tx } = yield* Postgres
      const step = tx(
        Effect.gen(function* () {
          const range = yield* nextRange(sql, 0)
          yield* range === undefined ? updateTotals(sql) : count(sql, range)
          return range
        }),
      )
      yield* Effect.repeat(step, { while: (range) => range !== undefined })
      const open = all.filter(({ market }) => market.payouts === undefined)
      const most = open.map(({ held, tokens }) => {
        const supplies = tokens.map((token) =>
          held.reduce((sum, position) => (position.token === token ? sum + position.shares : sum), 0),
        )
        return Math.max(0, ...supplies)
      })
      const total = most.reduce((sum, each) => sum + each, 0) / 1e6
      assert.deepInclude(yield* found(key, "/v3/oi"), { source: "onchain", open_interest_usdc: total })
      assert.strictEqual((yield* askWith(key, "/v2/onchain/oi")).json.open_interest_usdc, total)
    }),
  )

  it.effect("of resolutions have all of them in the order of the chain, whatever the page and the time", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const expected = expectedResolutions(simulation)
      assert.isAbove(expected.length, 50)
      const lineOf = (row: Record<string, unknown>) =>
        [row["condition_id"], row["block_number"], row["transaction_hash"], row["resolved_at"]].join()
      const lines = (rows: typeof expected) =>
        rows.map(({ market, block, tx, at }) =>
          [market.conditionId.padEnd(66, "0"), block, tx, new Date(at).toISOString()].join(),
        )
      const newest = yield* everyRow(key, "/v3/resolutions", 300)
      assert.sameMembers(newest.map(lineOf), lines(expected))
      const places = newest.map((row) => [row["block_number"], row["log_index"]] as [number, number])
      for (const [i, [block, log]] of places.entries()) {
        const [nextBlock, nextLog] = places[i + 1] ?? [0, 0]
        assert.isTrue(block > nextBlock || (block === nextBlock && log >= nextLog))
      }
      assert.deepStrictEqual(yield* everyRow(key, "/v3/resolutions", inPages(newest)), newest)
      assert.deepStrictEqual(yield* everyRow(key, "/v3/resolutions?order=asc", inPages(newest)), newest.toReversed())
      const { data: skipped } = yield* found(key, "/v3/resolutions?limit=5&offset=5")
      assert.deepStrictEqual(skipped, newest.slice(5, 10))
      const [early, late] = [0.3, 0.6].map((part) => (expected[Math.floor(expected.length * part)]?.at ?? 0) / 1000)
      const between = yield* everyRow(key, `/v3/resolutions?after=${early}&before=${late}`, 50)
      const within = expected.filter(({ at }) => at >= (early ?? 0) * 1000 && at < (late ?? 0) * 1000)
      assert.isAbove(within.length, 0)
      assert.sameMembers(between.map(lineOf), lines(within))
      assert.lengthOf((yield* found(key, "/v3/resolutions?after=2000000000")).data, 0)

      for (const { market, payouts } of some(expected, isSoak ? 20 : 8)) {
        const { data } = yield* found(key, `/v3/resolutions?condition_id=${market.conditionId}`)
        assert.lengthOf(data, 1)
        assert.deepStrictEqual(partsOf(data[0].payout_numerators), partsOf(payouts))
        const known = all.find((each) => each.market === market)
        if (known === undefined) continue
        const { question, slug, outcomes, category } = namesOf(known)
        assert.deepInclude(data[0], {
          question,
          slug,
          outcomes,
          category,
          proposer: null,
          disputer: null,
          settler: null,
        })
        assert.strictEqual(data[0].created_at, known.listed?.created_at ?? null)
      }
      const unresolved = all.find(({ market }) => market.payouts === undefined)?.market.conditionId
      assert.lengthOf((yield* found(key, `/v3/resolutions?condition_id=${unresolved}`)).data, 0)
    }),
  )

  it.effect("of tags have the markets of their events, the largest first", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const listed = all.filter((each) => each.listed !== undefined)
      const byTag = Map.groupBy(
        listed.flatMap((each) => (each.event?.tags as ReadonlyArray<string>).map((tag) => ({ tag, each }))),
        ({ tag }) => tag,
      )
      const counts = [...byTag]
        .map(([tag, { length }]) => ({ tag, market_count: length }))
        .sort((a, b) => b.market_count - a.market_count || (a.tag < b.tag ? -1 : 1))
      assert.isAbove(counts.length, 5)
      assert.deepStrictEqual(yield* everyRow(key, "/v3/tags", 300), counts)
      assert.deepStrictEqual(yield* everyRow(key, "/v3/tags", inPages(counts)), counts)
      assert.deepStrictEqual((yield* found(key, "/v3/tags?limit=2&offset=2")).tags, counts.slice(2, 4))
      const sorts = [
        ["", "volume"],
        ["sort=liquidity", "liquidity"],
      ] as const
      for (const { tag } of isSoak
        ? [...counts.slice(0, 3), ...counts.slice(-2)]
        : [...counts.slice(0, 1), ...counts.slice(-1)]) {
        for (const [sort, column] of sorts) {
          const expected = (byTag.get(tag) ?? [])
            .map(({ each }) => each.listed)
            .sort((a, b) => Number(BigInt(b?.[column] ?? 0) - BigInt(a?.[column] ?? 0)) || (b?.id ?? 0) - (a?.id ?? 0))
          const rows = yield* everyRow(key, `/v3/tags/${tag}?${sort}`, inPages(expected))
          assert.deepStrictEqual(
            rows.map(({ slug }) => slug),
            expected.map((each) => each?.slug),
          )
          assert.strictEqual(rows[0]?.["volume_all_time"], dollars(expected[0]?.volume))
        }
      }
      // A ranking that is kept in parts.
      const [widest] = counts
      const walk = Effect.gen(function* () {
        const tagMarkets = yield* TagMarkets
        const slugs: Array<string | null> = []
        const query = { tag: widest?.tag ?? "", sort: "volume_all_time", limit: 70, offset: 0 } as const
        let behind: TagPlace | undefined
        do {
          const { found: page } = yield* tagMarkets.page({ ...query, behind })
          slugs.push(...page.markets.map(({ slug }) => slug))
          behind = page.next
        } while (behind !== undefined)
        const { found: skipped } = yield* tagMarkets.page({ ...query, offset: 230, behind: undefined })
        return { slugs, skipped: skipped.markets.map(({ slug }) => slug) }
      })
      const inParts = yield* Effect.provide(walk, TagMarkets.layerOf(100))
      const whole = (yield* everyRow(key, `/v3/tags/${widest?.tag}`, 300)).map(({ slug }) => slug)
      assert.isAbove(whole.length, 300)
      assert.deepStrictEqual(inParts.slugs, whole)
      assert.deepStrictEqual(inParts.skipped, whole.slice(230, 300))
    }),
  )

  it.effect("refuse what does not exist or makes no sense, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const nothing = `0x${"ab".repeat(32)}`
      const tag: string = (yield* found(key, "/v3/tags?limit=1")).tags[0].tag
      const { next_cursor } = yield* found(key, "/v3/resolutions?limit=2")
      const token = all[0]?.tokens[0]?.id ?? ""
      const refused = [
        ["/v3/tokens/1", 404, /no token/],
        [`/v3/tokens/${BigInt(token) + 1n}`, 404, new RegExp(`Did you mean "${token}"`)],
        ["/v3/tokens/yes", 400, /decimal digits/],
        [`/v3/tokens/${2n ** 256n}`, 400, /below 2\^256/],
        ["/v3/markets/1/price", 404, /no token/],
        ["/v3/markets/0x12/price", 400, /decimal digits/],
        [`/v3/conditions/${nothing}`, 404, /no condition/],
        ["/v3/conditions/0x12", 400, /64 hexadecimal digits/],
        [`/v3/markets/condition/${nothing}`, 404, /no condition/],
        [`/v3/markets/condition/${nothing}/holders`, 404, /no condition/],
        [`/v3/markets/condition/${nothing}/holders?limit=many`, 400, /limit/],
        [`/v3/markets/condition/${nothing}/holders?offset=1`, 400, /offset/],
        [`/v3/resolutions?condition_id=${nothing}`, 404, /no condition/],
        ["/v3/resolutions?after=1794700800000", 400, /looks like milliseconds/],
        ["/v3/resolutions?order=up", 400, /"desc".*"asc"/],
        ["/v3/resolutions?offset=10001", 400, /use `cursor`/],
        [`/v3/resolutions?order=asc&cursor=${next_cursor}`, 400, /belongs to another query/],
        ["/v3/tags?cursor=x", 400, /unchanged `next_cursor`/],
        [`/v3/tags/${tag}x`, 404, new RegExp(`no tag.*Did you mean "${tag}"`)],
        [`/v3/tags/${tag}?sort=name`, 400, /"volume_all_time"/],
        ["/v3/oi?x=1", 400, /x/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      assert.strictEqual((yield* askWith(key, `/v3/tags/${tag}x`)).json.tag, `${tag}x`)
      const [first] = yield* everyRow(key, "/v3/resolutions", 300)
      const csv = yield* askWith(key, "/v3/resolutions?limit=1", { headers: { accept: "text/csv" } })
      assert.match(csv.text, new RegExp(`^condition_id,question,.*\\r?\\n${first?.["condition_id"]},`))
      const { key: free } = yield* keyOf("free")
      for (const path of ["tokens/1", "markets/1/price", `conditions/${nothing}`, "resolutions", "tags", "oi"])
        assert.strictEqual((yield* askWith(free, `/v3/${path}`)).status, 402, path)
    }),
  )
})
