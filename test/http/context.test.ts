import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { QueryError } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"
import { contextWorld } from "./support/contextWorld.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { askOnce, counted, during, engineFails, engineWorks, faultKinds, Venue } from "./support/searchWorld.ts"
import { mainEvents } from "./support/sportsWorld.ts"

interface Query {
  readonly id: string
  readonly query: string
  readonly status: string
  readonly result_count: number
  readonly results: ReadonlyArray<{ readonly id: string; readonly url: string }>
  readonly tweets?: ReadonlyArray<unknown>
  readonly error?: string
}

interface Source {
  readonly source?: string
  readonly adapter?: string
  readonly status: string
  readonly result_count: number
  readonly queries: ReadonlyArray<Query>
  readonly error?: string
  readonly hint?: string
}

const listed = ({ queries }: Source, name: "id" | "url") =>
  queries.map(({ results }) => results.map((row) => row[name]))
const statuses = ({ queries }: Source) => queries.map(({ status }) => status)

/** A game with markets about players, which has not begun. */
const game = Effect.map(Venue, ({ simulation }) => {
  const open = mainEvents(simulation).filter(({ plan }) => plan.endsAt > simulation.now())
  const plan = open.find((event) => event.plan.game?.league === "nba")?.plan
  if (plan?.game === undefined) throw new Error("the world has no such game")
  return { slug: plan.slug, path: `/v2/sports/games/${plan.slug}/context`, title: plan.title, ...plan.game }
})

/** A market of an event that is no game. */
const politics = Effect.map(Venue, ({ simulation }) => {
  const { events } = simulation.model.world.venue
  const market = events.find(({ plan }) => plan.category === "politics" && plan.endsAt > simulation.now())?.plan
    .markets[0]
  if (market === undefined) throw new Error("the world has no such market")
  return market
})

const bundle = (path: string, plan: Plan = "growth") =>
  Effect.map(askOnce(path, plan), (answer) => {
    assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
    return answer
  })

const unitsOf = (account: AccountId) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ used: number; held: number }>`
      select coalesce((select sum(used)::int from quota_month where account_id = ${account}::uuid), 0) as used,
        (select count(*)::int from quota_reservation where account_id = ${account}::uuid) as held`
    assert.strictEqual(row?.held, 0)
    return row?.used
  })

const ofVenue = <A>(path: string, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  Effect.flatMap(Venue, ({ url }) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}${path}?${new URLSearchParams(parameters)}`, { headers })
      if (!answer.ok) throw new Error(await answer.text())
      return (await answer.json()) as A
    }),
  )

/** Ids of the newest posts that the simulated network has. */
const postsOf = (text: string) => {
  const query = translateQuery(text)
  if (query instanceof QueryError) throw new Error(query.problem)
  const bearer = { authorization: "Bearer another" }
  return Effect.map(
    ofVenue<{ readonly data?: ReadonlyArray<{ readonly id: string }> }>(
      "/x/2/tweets/search/recent",
      { query: query.query, max_results: "10" },
      bearer,
    ),
    ({ data = [] }) => data.map(({ id }) => id),
  )
}

interface Page {
  readonly url: string
  readonly score: number
}

/** Addresses of the pages that the simulated SearXNG has, best first. */
const pagesOf = (q: string, parameters: Record<string, string>) =>
  Effect.map(
    ofVenue<{ readonly results: ReadonlyArray<Page> }>("/searxng/search", {
      q,
      format: "json",
      engines: "brave,duckduckgo",
      language: "en-US",
      safesearch: "0",
      ...parameters,
    }),
    ({ results }) => results.toSorted((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1)).map(({ url }) => url),
  )

/** What each query adds to those before it. */
const fresh = (found: ReadonlyArray<ReadonlyArray<string>>, most: number) => {
  const listed: Array<string> = []
  return found.map((rows) => {
    const added = rows.filter((row) => !listed.includes(row)).slice(0, most)
    listed.push(...added)
    return added
  })
}

/** Sets whose first queries differ. */
const querySetsApart = ["default", "injuries", "lineups", "news", "markets"]

/** A soak waits for the bundle to give up; otherwise the upstreams time out before. */
const isSoak = process.env.PRESAGE_SOAK === "1"

const recentIds = ["injuries", "lineups", "players", "news"]

const timeout = isSoak ? "30s" : "5s"

layer(contextWorld({ "upstream.x.timeout": timeout, "upstream.searxng.timeout": timeout }), {
  excludeTestServices: true,
})("Context", (it) => {
  it.effect("has what X and the engines say about a game, each post and page once", () =>
    Effect.gen(function* () {
      const { path, title, home } = yield* game
      const { json, headers } = yield* bundle(`${path}?sources=web,social,search&max_queries=50&max_per_query=4`)
      assert.deepInclude(json, { title, query_set: "default", sources_requested: ["online", "social"] })
      assert.strictEqual(json.generated_queries.length, 5)
      assert.include(json.generated_queries[0].query, home.name)
      const ids = json.generated_queries.map(({ id }: Query) => id)
      assert.include(ids, "players")
      const { social, online }: Record<string, Source> = json.sources
      if (social === undefined || online === undefined) return assert.fail("a source is missing")
      const posts = yield* Effect.forEach(social.queries, ({ query }) => postsOf(query))
      assert.isNotEmpty(posts.flat())
      assert.deepStrictEqual(listed(social, "id"), fresh(posts, 4))
      const pages = yield* Effect.forEach(online.queries, ({ id, query }) =>
        pagesOf(query, recentIds.includes(id) ? { time_range: "week" } : {}),
      )
      assert.isBelow(new Set(pages.flat()).size, pages.flat().length)
      assert.deepStrictEqual(listed(online, "url"), fresh(pages, 4))
      for (const source of [social, online]) {
        assert.strictEqual(source.status, "ok")
        assert.deepStrictEqual(
          source.queries.map(({ id }) => id),
          ids,
        )
        assert.deepStrictEqual(statuses(source), Array(5).fill("ok"))
        assert.strictEqual(source.result_count, source.queries.flatMap(({ results }) => results).length)
      }
      assert.deepStrictEqual(
        social.queries.map(({ query }) => query),
        json.generated_queries.map((each: Record<string, string>) => each["social_query"]),
      )
      assert.deepStrictEqual([headers["x-quota-used"], headers["x-quota-limit"]], ["5", "1000"])
      const { json: found } = yield* askOnce(
        `/v2/social/search?${new URLSearchParams({ q: social.queries[0]?.query ?? "", max: "10" })}`,
      )
      assert.deepStrictEqual(social.queries[0]?.results, found.tweets.slice(0, 4))
      for (const { results, tweets } of social.queries) assert.deepStrictEqual(tweets, results)
      const search = new URLSearchParams({ q: online.queries[0]?.query ?? "", max_results: "4" })
      const { json: web } = yield* askOnce(`/v2/search/online?${search}`)
      assert.deepStrictEqual(online.queries[0]?.results, web.results)
      assert.deepStrictEqual([online.source, online.adapter], [web.source, web.adapter])
    }),
  )

  it.effect("has the same for any market, with its prices on request", () =>
    Effect.gen(function* () {
      const { slug, question } = yield* politics
      const path = `/v3/markets/slug/${slug}/context`
      const { json } = yield* bundle(`${path}?sources=social,online&include_state=true`)
      assert.deepInclude(json, { slug, title: question, query_set: "default" })
      assert.strictEqual(json.generated_queries[0].query, question.replace(/\?$/, ""))
      const posts = yield* Effect.forEach(json.sources.social.queries as ReadonlyArray<Query>, ({ query }) =>
        postsOf(query),
      )
      assert.isNotEmpty(posts.flat())
      assert.deepStrictEqual(listed(json.sources.social, "id"), fresh(posts, 5))
      assert.isAbove(json.sources.online.result_count, 5)
      const { prices, total_tokens, truncated, ...market } = json.state
      const { json: alone } = yield* askOnce(`/v3/markets/condition/${market.condition_id}`)
      assert.deepStrictEqual(market, alone.data[0])
      assert.deepStrictEqual([prices.length, total_tokens, truncated], [2, 2, false])
      for (const { token_id, outcome, outcome_index, ...price } of prices) {
        const { json: token } = yield* askOnce(`/v3/tokens/${token_id}`)
        assert.deepInclude(token.data[0], { outcome, outcome_index, ...price })
      }
      const one = yield* bundle(`${path}?sources=online&include_state=true&price_limit_tokens=1&max_queries=1`)
      assert.deepStrictEqual([one.json.state.prices.length, one.json.state.truncated], [1, true])
      assert.notProperty((yield* bundle(`${path}?sources=online&max_queries=1`)).json, "state")
      const unknown = yield* askOnce(`/v3/markets/slug/${slug}x/context`)
      assert.deepStrictEqual([unknown.status, unknown.json.error], [404, "Not found."])
      assert.include(unknown.json.hint, `Did you mean "${slug}"?`)
      assert.strictEqual((yield* askOnce(`${path}?sources=online`, "free")).status, 402)
    }),
  )

  it.effect("is found by slug, event and market, with the state on request", () =>
    Effect.gen(function* () {
      const { slug, path } = yield* game
      const { json: detail } = yield* askOnce(`/v2/sports/games/${slug}`)
      const asked = "?sources=online&query_set=injuries&max_queries=1&include_state=true&price_limit_tokens=4"
      for (const each of [path, `/v2/sports/games/by-event/${detail.id}/context`]) {
        const { json } = yield* bundle(`${each}${asked}`)
        assert.match(json.generated_queries[0].query, /injury report/)
        assert.deepStrictEqual([json.slug, json.state.slug, json.state.subscribe.token_ids.length], [slug, slug, 4])
      }
      const { json } = yield* bundle(`/v2/sports/games/by-market/${detail.markets[0].id}/context${asked}`)
      assert.strictEqual(json.state.slug, json.slug)
    }),
  )

  it.effect("a free key gets the web, 402 for social alone, and a mark for social beside the web", () =>
    Effect.gen(function* () {
      const { path } = yield* game
      const online = yield* bundle(`${path}?sources=online&max_queries=1`, "free")
      assert.deepInclude(online.json.sources.online, { status: "ok", source: "search_online", adapter: "searxng" })
      assert.notProperty(online.headers, "x-quota-used")
      const [alone, calls] = yield* counted("x", askOnce(path, "free"))
      assert.strictEqual(alone.status, 402, alone.text)
      assert.deepInclude(alone.json, { plan: "free", required_plan: "starter" })
      assert.match(alone.json.hint, /sources=online/)
      const both = yield* bundle(`${path}?sources=social,online&max_queries=2`, "free")
      assert.deepStrictEqual(
        [both.json.sources.social.status, statuses(both.json.sources.social), both.json.sources.online.status],
        ["payment_required", ["payment_required", "payment_required"], "ok"],
      )
      assert.match(both.json.sources.social.hint, /paid plan/)
      assert.strictEqual(calls, 0)
    }),
  )

  it.effect("a bundle is one request of the limits of its sources", () =>
    Effect.gen(function* () {
      const { path } = yield* game
      const { key, account } = yield* keyOf("growth")
      const social = `${path}?sources=social&max_queries=2`
      const answers = yield* Effect.all(
        [askWith(key, social), askWith(key, social), askWith(key, "/v2/social/search?q=nba")],
        { concurrency: 3 },
      )
      const allowed = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ status }) => status === 429)
      assert.strictEqual(allowed.length + refused.length, 3)
      assert.isNotEmpty(refused)
      for (const { json } of refused) assert.deepInclude(json, { scope: "social", limit: 1 })
      const used = allowed.reduce((sum, { json }) => sum + (json.generated_queries?.length ?? 1), 0)
      assert.strictEqual(yield* unitsOf(account), used)

      const searcher = (yield* keyOf("growth")).key
      const search = "/v2/search/online?q=nba"
      yield* Effect.all([1, 2, 3].map(() => askWith(searcher, search)))
      const over = yield* askWith(searcher, `${path}?sources=online`)
      assert.deepStrictEqual([over.status, over.json.scope], [429, "online-search"])
      const both = yield* askWith(searcher, `${path}?sources=online,social&max_queries=1`)
      assert.deepStrictEqual(
        [both.status, both.json.sources.online.status, both.json.sources.social.status],
        [200, "rate_limited", "ok"],
      )
    }),
  )

  it.effect("concurrent bundles at the edge of the quota get exactly the units that are left", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { path } = yield* game
      const { key, account } = yield* keyOf("starter")
      const body = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      const keys = yield* Effect.all([1, 2].map(() => askWith(key, "/v1/keys", body)))
      yield* sql`
          insert into quota_month (account_id, quota, month, used)
          values (${account}::uuid, 'social', date_trunc('month', now() at time zone 'utc')::date, 495)`
      const asked = [key, ...keys.map(({ json }) => json.api_key)].map((each) =>
        askWith(each, `${path}?sources=social,online&max_queries=3`),
      )
      const answers = yield* Effect.all(asked, { concurrency: 3 })
      const all = answers.flatMap(({ status, json, text }) => {
        assert.strictEqual(status, 200, text)
        return statuses(json.sources.social)
      })
      assert.deepStrictEqual(all.toSorted(), [...Array(5).fill("ok"), ...Array(4).fill("quota_exhausted")])
      for (const { json } of answers) {
        const own = statuses(json.sources.social)
        const expected = own.every((status) => status === "ok")
          ? "ok"
          : own.includes("ok")
            ? "partial"
            : "quota_exhausted"
        assert.strictEqual(json.sources.social.status, expected)
      }
      assert.strictEqual(yield* unitsOf(account), 500)
      const paused = yield* askWith(keys[0]?.json.api_key, "/v1/usage")
      assert.deepStrictEqual(paused.json.quotas, [{ quota: "social", used: 500, limit: 500 }])
      const fourth = yield* askWith(key, "/v1/keys", body)
      const over = yield* askWith(fourth.json.api_key ?? keys[1]?.json.api_key, `${path}?max_queries=1`)
      assert.strictEqual(over.status, 429)
      assert.include(["social_quota", "social"], over.json.scope)
      assert.strictEqual(over.headers["x-quota-used"], "500")
      assert.strictEqual(yield* unitsOf(account), 500)
    }),
  )

  it.effect("an engine that fails makes the source partial", () =>
    Effect.gen(function* () {
      const { path } = yield* game
      yield* engineFails("duckduckgo", "CAPTCHA")
      const { json } = yield* bundle(`${path}?sources=online&query_set=lineups&max_queries=4`)
      yield* engineWorks("duckduckgo")
      assert.strictEqual(json.sources.online.status, "partial")
      assert.include(json.sources.online.error, "duckduckgo")
      assert.isAbove(json.sources.online.result_count, 0)
    }),
  )

  it.effect("refuses bad input with what is expected", () =>
    Effect.gen(function* () {
      const { slug } = yield* politics
      const { path } = yield* game
      const market = `/v3/markets/slug/${slug}/context`
      const wrong = [
        [`${path}?sources=newspapers`, /social or online/],
        [`${path}?sources=social,,online`, /unknown source ""/],
        [`${path}?sources=constructor`, /unknown source "constructor"/],
        [`${path}?query_set=gossip`, /"lineups"/],
        [`${path}?max_queries=some`, /max_queries/],
        [`${path}?include_state=yes`, /"true"/],
        [`${path}?limit=5`, /limit/],
        [`${market}?query_set=injuries`, /"markets"/],
        [`${market}?sources=%20`, /sources/],
      ] as const
      for (const [asked, message] of wrong) {
        const { status, text } = yield* askOnce(asked)
        assert.strictEqual(status, 400, `${asked}: ${text}`)
        assert.match(text.replaceAll("\\", ""), message, asked)
      }
    }),
  )

  it.effect("faults of one source mark it and leave the other alone, and failed queries cost nothing", () =>
    Effect.gen(function* () {
      const { simulation } = yield* Venue
      const { slug: used } = yield* game
      // A query of its own for each fault, because answers are cached.
      const subjects = mainEvents(simulation).flatMap(({ plan: { slug, endsAt } }) =>
        slug === used || endsAt <= simulation.now()
          ? []
          : querySetsApart.map((set) => `${slug}/context?query_set=${set}`),
      )
      const faults = ["searxng", "x"].flatMap((upstream) =>
        // The limit of X is remembered, so that fault comes last.
        faultKinds
          .toSorted((a, b) => Number("retry_after_s" in a) - Number("retry_after_s" in b))
          .map((fault) => ({ upstream, ...fault }) as { upstream: string; kind: string; status?: number }),
      )
      assert.isAtLeast(subjects.length, faults.length)
      for (const [i, fault] of faults.entries()) {
        const { key, account } = yield* keyOf("growth")
        const asked = askWith(key, `/v2/sports/games/${subjects[i]}&sources=social,online&max_queries=1`)
        const { status, json, text } = yield* during(fault, asked)
        const shown = `${JSON.stringify(fault)}: ${text}`
        assert.strictEqual(status, 200, shown)
        const sources: Record<string, Source> = json.sources
        const [failing, other] = fault.upstream === "x" ? ["social", "online"] : ["online", "social"]
        assert.strictEqual(sources[other ?? ""]?.status, "ok", shown)
        const marked = sources[failing ?? ""]
        const expected = ["clock_skew", "wrong_types"].includes(fault.kind)
          ? ["ok", "partial", "failed"]
          : fault.kind === "rate_limited"
            ? ["rate_limited"]
            : fault.status === 403
              ? ["unavailable"]
              : ["failed"]
        assert.include(expected, marked?.status, shown)
        if (isSoak && fault.kind === "slow") assert.match(marked?.error ?? "", /within 10 s/)
        if (marked?.status !== "ok") {
          assert.isNotEmpty(marked?.error)
          assert.isNotEmpty(marked?.hint ?? marked?.error)
        }
        const answered = sources["social"]?.queries.filter((query) => query.status === "ok").length
        assert.strictEqual(yield* unitsOf(account), answered, shown)
      }
    }),
  )
})
