import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { AccountId } from "#src/domain/Account.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { askOnce, counted, during, faultKinds, searchWorld, Venue } from "./support/searchWorld.ts"
import { recorder } from "./support/server.ts"

const { lines, logged } = recorder()
const world = searchWorld(() => ({ "upstream.x.timeout": "1s" }), logged)

interface Link {
  readonly url?: string
  readonly expanded_url?: string
  readonly unwound_url?: string
  readonly title?: string
  readonly description?: string
  readonly images?: ReadonlyArray<{ readonly url: string }>
}

interface Tweet {
  readonly id: string
  readonly text: string
  readonly created_at: string
  readonly author_id: string
  readonly note_tweet?: { readonly text: string; readonly entities?: Tweet["entities"] }
  readonly public_metrics: Readonly<Record<string, number>>
  readonly entities?: { readonly urls?: ReadonlyArray<Link> }
  readonly attachments?: object
  readonly article?: Readonly<Record<string, string>>
}

interface Page {
  readonly data?: ReadonlyArray<Tweet>
  readonly meta: { readonly next_token?: string }
}

const pathOf = (q: string, max = 50) => `/v2/social/search?${new URLSearchParams({ q, max: String(max) })}`
const search = (q: string, max?: number) => askOnce(pathOf(q, max))

/** What the simulated network has, page by page. */
const posts = (parameters: Record<string, string>, pages = 1, path = "/2/tweets/search/recent") =>
  Effect.flatMap(Venue, ({ url }) =>
    Effect.promise(async () => {
      const found: Array<Tweet> = []
      let next: string | undefined
      for (let page = 0; page < pages; page++) {
        const query = new URLSearchParams({
          max_results: "100",
          "tweet.fields": "created_at,author_id,public_metrics,entities,note_tweet",
          ...parameters,
          ...(next === undefined ? {} : { next_token: next }),
        })
        const answer = await fetch(`${url}/x${path}?${query}`, { headers: { authorization: "Bearer another" } })
        const body = (await answer.json()) as Page
        if (!answer.ok) throw new Error(JSON.stringify(body))
        found.push(...(body.data ?? []))
        next = body.meta.next_token
        if (next === undefined) break
      }
      return found
    }),
  )

const idsIn = (answer: { readonly json: { readonly tweets: ReadonlyArray<{ readonly id: string }> } }) =>
  answer.json.tweets.map(({ id }) => id)

const unitsOf = (account: AccountId) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [row] = yield* sql<{ used: number }>`select used from quota_month where account_id = ${account}::uuid`
    return row?.used ?? 0
  })

const readPosts = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ posts: string }>`select posts::text from social_read_month`
  return Number(row?.posts ?? 0)
})

layer(world, { excludeTestServices: true })("Social", (it) => {
  it.effect("finds the newest posts, with expanded links and the network's own time", () =>
    Effect.gen(function* () {
      const truth = yield* posts({ query: "bitcoin -is:retweet" })
      const before = yield* readPosts
      const answer = yield* search("bitcoin -filter:retweets")
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(
        idsIn(answer),
        truth.slice(0, 50).map(({ id }) => id),
      )
      assert.deepInclude(answer.json, { query: "bitcoin -filter:retweets", result_count: 50, has_more: true })
      assert.isAtLeast((yield* readPosts) - before, 50)
      assert.isAtMost((yield* readPosts) - before, 100)
      let links = 0
      for (const [i, tweet] of answer.json.tweets.entries()) {
        const { text, note_tweet, entities, created_at, public_metrics } = truth[i] as Tweet
        let expected = (note_tweet?.text ?? text)
          .replaceAll("&lt;", "<")
          .replaceAll("&gt;", ">")
          .replaceAll("&amp;", "&")
        const urls = entities?.urls ?? []
        if (note_tweet === undefined) {
          for (const { url = "", expanded_url = "" } of urls) expected = expected.replaceAll(url, expanded_url)
          assert.strictEqual(tweet.text, expected)
        }
        assert.notInclude(tweet.text, "https://t.co/")
        links += tweet.urls?.length ?? 0
        assert.strictEqual(Date.parse(tweet.created_at), Math.floor(Date.parse(created_at) / 1000) * 1000)
        assert.match(tweet.created_at, /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/)
        const { impression_count, ...others } = public_metrics
        assert.deepStrictEqual(tweet.public_metrics, { ...others, impression_count: String(impression_count) })
        for (const url of tweet.urls ?? []) {
          assert.containsAllKeys(url, ["url", "expanded_url", "display_url", "title", "description"])
        }
      }
      assert.isAbove(links, 0)
    }),
  )

  it.effect("shows cards of linked pages and the articles that posts publish", () =>
    Effect.gen(function* () {
      const fields = { "tweet.fields": "created_at,author_id,public_metrics,entities,attachments,note_tweet,article" }
      const known = new Map(
        [
          ...(yield* posts({ query: "url:polymarket.com -is:retweet -is:quote", ...fields })),
          ...(yield* posts({ query: "url:x.com/i/article -is:retweet -is:quote", ...fields })),
        ].map((each) => [each.id, each]),
      )
      const seen = { card: 0, image: 0, none: 0, article: 0, cover: 0 }
      for (const q of ["url:polymarket.com", 'url:"x.com/i/article"']) {
        const answer = yield* search(`${q} -filter:retweets -filter:quote`)
        assert.strictEqual(answer.status, 200, answer.text)
        for (const { id, card, article } of answer.json.tweets) {
          const truth = known.get(id) ?? assert.fail(`${id} is not known`)
          const { urls } = (truth.note_tweet ?? truth).entities ?? {}
          const page = urls?.findLast(({ title }) => title !== undefined)
          if (page === undefined || truth.attachments !== undefined) {
            assert.isUndefined(card)
            seen.none += 1
          } else {
            const { title, description = null, unwound_url: url, images } = page
            const image_url = images?.[0]?.url ?? null
            assert.deepStrictEqual(card, { url, domain: "polymarket.com", title, description, image_url })
            seen.card += 1
            seen.image += image_url === null ? 0 : 1
          }
          if (truth.article === undefined) {
            assert.isUndefined(article)
            continue
          }
          const { title, preview_text, plain_text, cover_media } = truth.article
          const unescaped = (text = "") => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
          assert.deepStrictEqual(article, {
            title: unescaped(title),
            url: urls?.[0]?.["expanded_url"],
            preview_text: unescaped(preview_text),
            plain_text: unescaped(plain_text),
            image_url: cover_media === undefined ? null : `https://pbs.twimg.com/media/${cover_media}.jpg`,
          })
          seen.article += 1
          seen.cover += cover_media === undefined ? 0 : 1
        }
      }
      for (const [part, count] of Object.entries(seen)) assert.isAbove(count, 0, part)
    }),
  )

  it.effect("operators that the network lacks are applied here", () =>
    Effect.gen(function* () {
      const all = yield* posts({ query: "bitcoin OR solana OR ethereum" }, 3)
      const loved = all.filter(({ public_metrics }) => (public_metrics["like_count"] ?? 0) >= 5)
      assert.isNotEmpty(loved)
      const answer = yield* search("bitcoin OR solana OR ethereum min_faves:5")
      assert.deepStrictEqual(
        idsIn(answer),
        loved.slice(0, 50).map(({ id }) => id),
      )
      const repeated = all.filter(
        ({ public_metrics: counts }) => (counts["retweet_count"] ?? 0) >= 1 && (counts["like_count"] ?? 0) < 5,
      )
      const both = yield* search("min_retweets:1 -min_faves:5 bitcoin OR solana OR ethereum")
      assert.deepStrictEqual(
        idsIn(both),
        repeated.slice(0, 50).map(({ id }) => id),
      )
      const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
      const times = { start_time: `${day(3)}T00:00:00Z`, end_time: `${day(2)}T00:00:00Z` }
      const inside = yield* posts({ query: "from:ChainPressIO", ...times })
      const within = yield* search(`from:@ChainPressIO since:${day(3)} until:${day(2)}`)
      assert.deepStrictEqual(
        idsIn(within),
        inside.slice(0, 50).map(({ id }) => id),
      )
      assert.strictEqual((yield* search(`bitcoin since:${day(300)}`)).json.has_more, true)
      const tagged = yield* search('#Crypto "bitcoin"', 3)
      assert.deepStrictEqual(
        idsIn(tagged),
        (yield* posts({ query: '#Crypto "bitcoin"' })).slice(0, 3).map(({ id }) => id),
      )
    }),
  )

  it.effect("shows the timeline of an account, and 404 for one that does not exist", () =>
    Effect.gen(function* () {
      const [one] = yield* posts({ query: "from:ChainPressIO" })
      const truth = yield* posts({}, 1, `/2/users/${one?.author_id}/tweets`)
      const answer = yield* askOnce("/v2/social/user/chainpressio/tweets?max=7")
      assert.deepStrictEqual(
        idsIn(answer),
        truth.slice(0, 7).map(({ id }) => id),
      )
      assert.deepInclude(answer.json, { handle: "ChainPressIO", result_count: 7 })
      assert.isTrue(answer.json.tweets.every((each: { author: object }) => "username" in each.author))
      assert.strictEqual((yield* askOnce("/v2/social/user/nobodyatall/tweets")).status, 404)
      assert.strictEqual((yield* askOnce("/v2/social/user/not-a-handle/tweets")).status, 400)
    }),
  )

  it.effect("counts answers with 200 for each account, though equal requests share one call", () =>
    Effect.gen(function* () {
      const accounts = yield* Effect.all([keyOf("starter"), keyOf("growth"), keyOf("pro"), keyOf("enterprise")])
      const path = pathOf("lakers odds")
      const asked = Effect.all(
        accounts.map(({ key }) => askWith(key, path)),
        { concurrency: 4 },
      )
      const [answers, calls] = yield* counted("x", asked)
      assert.deepStrictEqual(
        answers.map(({ status, headers }) => [status, headers["x-quota-used"], headers["x-quota-limit"]]),
        [
          [200, "1", "500"],
          [200, "1", "1000"],
          [200, "1", "1500"],
          [200, "1", "5000"],
        ],
      )
      assert.strictEqual(calls, 1)
      for (const { account } of accounts) assert.strictEqual(yield* unitsOf(account), 1)
      const [first] = accounts
      const key = first?.key ?? ""
      const quick = yield* Effect.all(
        [1, 2, 3].map(() => askWith(key, path)),
        { concurrency: 3 },
      )
      const refused = quick.filter(({ status }) => status === 429)
      assert.isNotEmpty(refused)
      assert.deepInclude(refused[0]?.json, { scope: "social", limit: 1 })
      const used = 1 + quick.length - refused.length
      const { json } = yield* askWith(key, "/v1/usage")
      assert.deepStrictEqual(json.quotas, [{ quota: "social", used, limit: 500 }])
      assert.strictEqual((yield* askOnce(path, "free")).status, 402)
    }),
  )

  it.effect("grants exactly the last unit of a quota to concurrent requests", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key, account } = yield* keyOf("starter")
      const refused = yield* askWith(key, pathOf("-bitcoin"))
      assert.strictEqual(refused.status, 400, refused.text)
      assert.strictEqual(yield* unitsOf(account), 0)
      yield* sql`update quota_month set used = 499 where account_id = ${account}::uuid`
      const body = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      const more = yield* Effect.all([1, 2].map(() => askWith(key, "/v1/keys", body)))
      const answers = yield* Effect.all(
        more.map(({ json }) => askWith(json.api_key, pathOf("nba"))),
        { concurrency: 2 },
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 429])
      assert.strictEqual(yield* unitsOf(account), 500)
      const over = yield* askWith(key, pathOf("nba"))
      assert.deepStrictEqual([over.status, over.json.scope, over.headers["x-quota-used"]], [429, "social_quota", "500"])
    }),
  )

  it.effect("any query gets posts or a clear 400", () =>
    Effect.gen(function* () {
      const piece = fc.oneof(
        fc.constantFrom(
          "bitcoin",
          "OR",
          "-",
          "(",
          ")",
          '"',
          "from:",
          "from:nba",
          "since:2026-01-01",
          "until:",
          "min_faves:1",
        ),
        fc.constantFrom(
          "#a",
          "$B",
          "@c",
          "“x y”",
          "🚀",
          "lang:en",
          "filter:links",
          "has:x",
          "https://a.b/c?d",
          "Re:",
          "min_faves:x",
        ),
        fc.string({ unit: "binary", maxLength: 20 }),
      )
      const queries = fc.sample(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(" ")),
        process.env.PRESAGE_SOAK === "1" ? 500 : 30,
      )
      for (const q of [...queries, "x".repeat(10_000), '"'.repeat(999), "(".repeat(999), "-".repeat(999)]) {
        const { status, text } = yield* search(q, 1)
        assert.include([200, 400], status, `${JSON.stringify(q)}: ${text}`)
      }
    }),
  )

  it.effect("faults of the network give a clear answer that does not count", () =>
    Effect.gen(function* () {
      const expected: Readonly<Record<string, ReadonlyArray<number>>> = {
        slow: [502],
        rate_limited: [429],
        clock_skew: [200],
        wrong_types: [200, 502],
      }
      // The limit of the search is remembered, so that fault comes last.
      const ordered = faultKinds.toSorted((a, b) => Number("retry_after_s" in a) - Number("retry_after_s" in b))
      for (const [i, fault] of ordered.entries()) {
        const { kind, status: given } = fault as { readonly kind: string; readonly status?: number }
        const { key, account } = yield* keyOf("growth")
        const { status, text, headers } = yield* during(
          { upstream: "x", ...fault },
          askWith(key, pathOf(`secretword${i}`)),
        )
        assert.include(given === 403 ? [503] : (expected[kind] ?? [502]), status, `${kind}: ${text}`)
        assert.strictEqual(yield* unitsOf(account), status === 200 ? 1 : 0, kind)
        if (status === 429) {
          assert.match(text, /social_upstream.*reset_at/)
          assert.isAtMost(Number(headers["retry-after"]), 31)
        }
      }
      const logged = lines.filter(({ level }) => !["Debug", "Trace", "All"].includes(level))
      assert.isEmpty(logged.filter((line) => JSON.stringify(line).includes("secretword")))
      assert.isTrue(logged.some(({ text }) => text.includes("failed to load an answer")))
    }),
  )
})

layer(
  searchWorld(() => ({ "social.posts-per-month": "150" })),
  { excludeTestServices: true },
)("Social with a small budget", (it) => {
  it.effect("reading stops before the budget of posts is exceeded", () =>
    Effect.gen(function* () {
      let answers = 0
      for (let i = 0; ; i++) {
        const { status, json } = yield* search(`from:ChainPressIO ${i > 0 ? `-word${i}` : ""}`, 50)
        if (status === 200) {
          answers += 1
          continue
        }
        assert.deepStrictEqual([status, json.hint], [503, "Its operator can raise social.posts-per-month."])
        break
      }
      assert.isAtLeast(answers, 1)
      assert.isAtMost(yield* readPosts, 150)
    }),
  )
})
