import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import fc from "fast-check"
import { normalizedQuery, withoutCommands } from "#src/online-search/query.ts"
import { patience } from "#test/support/patience.ts"
import { askWith, keyOf } from "./support/keys.ts"
import {
  askOnce,
  counted,
  during,
  engineFails,
  engineWorks,
  faultKinds,
  searchWorld,
  Venue,
} from "./support/searchWorld.ts"
import { recorder } from "./support/server.ts"

const { lines, logged } = recorder()

/** The first instance refuses connections: everything below also shows that the next one is asked. */
const world = searchWorld(
  (url) => ({
    "upstream.searxng-url": `http://127.0.0.1:1/searxng,${url}/searxng/`,
    "upstream.searxng.timeout": "1s",
  }),
  logged,
)

const search = (parameters: Record<string, string>) => askOnce(`/v2/search/online?${new URLSearchParams(parameters)}`)

interface WireResult {
  readonly url: string
  readonly score: number
  readonly engines: ReadonlyArray<string>
  readonly publishedDate: string | null
}

interface WirePage {
  readonly results: ReadonlyArray<WireResult>
  readonly answers: ReadonlyArray<{ readonly answer: string }>
}

const upstream = (parameters: Record<string, string>) =>
  Effect.flatMap(Venue, ({ url }) =>
    Effect.promise(
      async () =>
        (await (
          await fetch(`${url}/searxng/search?${new URLSearchParams({ format: "json", ...parameters })}`)
        ).json()) as WirePage,
    ),
  )

const enginesWork = Layer.effectDiscard(Effect.forEach(["brave", "duckduckgo", "google"], engineWorks))

const isText = (text: string) => !/<[a-z/]|\p{Cc}/iu.test(text)

layer(enginesWork.pipe(Layer.provideMerge(world)), { excludeTestServices: true })("Online search", (it) => {
  it.effect("shows what the engines found, each page once and best first", () =>
    Effect.gen(function* () {
      const engines = "brave,duckduckgo,google"
      const parameters = { q: "bitcoin price", engines, language: "en-US", safesearch: "0" }
      const truth = yield* upstream(parameters)
      const { status, json, text } = yield* search({ q: "  bitcoin \u200b  price ", engines, max_results: "20" })
      assert.strictEqual(status, 200, text)
      const best = truth.results.toSorted((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1))
      assert.deepStrictEqual(
        json.results.map((each: Record<string, unknown>) => [each["url"], each["score"], each["engines"]]),
        best.slice(0, 20).map(({ url, score, engines }) => [url, score, engines.toSorted()]),
      )
      assert.deepStrictEqual(
        json.results.map((each: Record<string, unknown>) => each["published_at"]),
        best
          .slice(0, 20)
          .map(({ publishedDate }) => (publishedDate === null ? null : new Date(`${publishedDate}Z`).toISOString())),
      )
      assert.deepInclude(json, {
        query: "bitcoin price",
        source: "search_online",
        adapter: "searxng",
        cached: false,
        engines_requested: engines.split(","),
        result_count: json.results.length,
        answers: truth.answers.map(({ answer }) => answer),
      })
      assert.isTrue(json.results.every((each: { title: string; snippet: string }) => isText(each.title + each.snippet)))
      assert.isNotEmpty(json.suggestions)
      assert.isAtLeast(json.elapsed_ms, 0)
    }),
  )

  it.effect("equal requests share one call, also at the same time, for as long as they say", () =>
    Effect.gen(function* () {
      const same = search({ q: "senate vote", cache_ttl_seconds: "1" })
      const [answers, calls] = yield* counted("searxng", Effect.all([same, same, same, same, same], { concurrency: 5 }))
      assert.strictEqual(calls, 1)
      assert.isTrue(
        answers.every(({ status, json }) => status === 200 && json.fetched_at === answers[0]?.json.fetched_at),
      )
      const [again, more] = yield* counted("searxng", search({ q: " senate  vote", cache_ttl_seconds: "3600" }))
      assert.deepStrictEqual([again.json.cached, more], [false, 1])
      const [third, none] = yield* counted(
        "searxng",
        search({ q: "senate vote", cache_ttl_seconds: "3600", max_results: "1" }),
      )
      assert.deepStrictEqual([third.json.cached, third.json.result_count, none], [true, 1, 0])
      assert.strictEqual(third.json.fetched_at, again.json.fetched_at)
      const isFetchedAgain = Effect.map(same, ({ json }) => json.fetched_at !== answers[0]?.json.fetched_at)
      yield* Effect.repeat(isFetchedAgain, { until: (is) => is, schedule: Schedule.spaced("100 millis") }).pipe(
        Effect.timeout(patience),
      )
    }),
  )

  it.effect("an engine that fails makes the answer partial, and 502 if none answers", () =>
    Effect.gen(function* () {
      yield* engineFails("duckduckgo", "CAPTCHA <b>now</b>")
      const partial = yield* search({ q: "lakers" })
      assert.deepInclude(partial.json, {
        status: "partial",
        unresponsive_engines: [{ engine: "duckduckgo", reason: "CAPTCHA now" }],
      })
      assert.isNotEmpty(partial.json.results)
      yield* engineFails("brave", "too many requests")
      const none = yield* search({ q: "lakers game" })
      assert.strictEqual(none.status, 502, none.text)
      assert.deepStrictEqual(
        none.json.unresponsive_engines.map(({ engine }: { engine: string }) => engine),
        ["brave", "duckduckgo"],
      )
      yield* engineWorks("brave")
      yield* engineWorks("duckduckgo")
    }),
  )

  it.effect("takes 3 requests in 10 seconds of a key, and names what is wrong with others", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("free")
      const path = "/v2/search/online?q=nba"
      const answers = yield* Effect.all([1, 2, 3, 4].map(() => askWith(key, path)))
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 429],
      )
      assert.deepInclude(answers[3]?.json, { scope: "online-search", limit: 3 })
      const wrong = [
        ["", /"q" is required/],
        ["q=%20%01", /1 to 500 visible characters/],
        ["q=!!", /1 to 500 visible characters/],
        [`q=${"x".repeat(10_000)}`, /got 10000/],
        ["q=a&max_results=21", /max_results/],
        ["q=a&cache_ttl_seconds=0", /cache_ttl_seconds/],
        ["q=a&cache_ttl_seconds=3601", /cache_ttl_seconds/],
        ["q=a&engines=altavista", /Available: brave, duckduckgo, google/],
        ["q=a&engines=,", /names no engine/],
        ["q=a&language=english", /language such as en/],
        ["q=a&time_range=decade", /day.*year/],
        ["q=a&safe_search=3", /"0".*"2"/],
        ["q=a&limit=3", /Unknown parameter/],
      ] as const
      for (const [query, message] of wrong) {
        const { status, json, text } = yield* askOnce(`/v2/search/online?${query}`)
        assert.strictEqual(status, 400, text)
        assert.match(json.error, message)
      }
    }),
  )

  it.effect("faults of the upstream and any query give a clear answer, and the query is not logged", () =>
    Effect.gen(function* () {
      for (const [i, fault] of faultKinds.entries()) {
        const asked = search({ q: `secretquery ${i}` })
        const { status, text } = yield* during({ upstream: "searxng", ...fault }, asked)
        const expected =
          "skew_ms" in fault ? [200] : "status" in fault && fault.status === 403 ? [503] : [200, 502, 503]
        assert.include(expected, status, `${JSON.stringify(fault)}: ${text}`)
        if (status === 200) assert.include(["slow", "wrong_types", "clock_skew"], (fault as { kind: string }).kind)
      }
      const texts = fc.sample(
        fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: fc.constantFrom(..."!?:<a\"' ") })),
        process.env.PRESAGE_SOAK === "1" ? 500 : 20,
      )
      for (const text of texts) {
        const answer = yield* search({ q: `secretquery ${text}` })
        assert.include([200, 400], answer.status, `${JSON.stringify(text)}: ${answer.text}`)
        assert.notMatch(withoutCommands(normalizedQuery(text)), /(^| )[!?:<]/)
      }
      const written = lines.filter(({ level }) => !["Debug", "Trace", "All"].includes(level))
      assert.isEmpty(written.filter((line) => JSON.stringify(line).includes("secretquery")))
      assert.isTrue(written.some(({ text }) => text.includes("failed to load an answer")))
    }),
  )
})

layer(
  searchWorld(() => ({ upstream: "polymarket" })),
  { excludeTestServices: true },
)("Online search that is not set up", (it) => {
  it.effect("says which setting to set", () =>
    Effect.gen(function* () {
      const { status, json } = yield* search({ q: "nba" })
      assert.strictEqual(status, 503)
      assert.match(json.hint, /UPSTREAM_SEARXNG_URL/)
      const social = yield* askOnce("/v2/social/search?q=nba")
      assert.strictEqual(social.status, 503)
      assert.match(social.json.hint, /UPSTREAM_X_TOKEN/)
    }),
  )
})
