import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { snowflakeId } from "#src/simulator/x/snowflake.ts"
import {
  type Answer,
  day,
  desk,
  everyField,
  found,
  genesis,
  got,
  minute,
  other,
  recent,
  search,
  send,
  sim,
  type Tweet,
  texts,
  timeOf,
} from "./xWorld.ts"

describe("x search queries", () => {
  it("operators filter posts", () => {
    assert.isTrue(texts("bitcoin november").every((text) => /bitcoin/i.test(text) && /november/i.test(text)))
    assert.isTrue(texts("bitcoin -november -is:retweet").every((text) => !/november/i.test(text)))
    assert.isTrue(texts('"above … on november" -is:retweet').every((text) => /above … on november/i.test(text)))
    assert.isTrue(texts("#Crypto -is:retweet").every((text) => /#crypto\b/i.test(text)))
    assert.isTrue(texts("$BTC -is:retweet").every((text) => text.includes("$BTC")))
    assert.isTrue(texts(`@${desk.username}`).every((text) => text.includes(`@${desk.username}`)))
    assert.isTrue(texts("🚀 -is:retweet").every((text) => text.includes("🚀")))
    assert.isTrue(texts("ultima hora -is:retweet").every((text) => text.includes("Última hora")))
    const own = found(`from:${desk.username.toUpperCase()}`)
    assert.isTrue(own.every(({ author_id }) => author_id === desk.id))
    assert.isTrue(found(`to:${desk.username}`).every(({ in_reply_to_user_id }) => in_reply_to_user_id === desk.id))
    assert.isTrue(found("lang:es de").every(({ lang }) => lang === "es"))
    const either = found(`(from:${desk.username} OR from:${other.id}) -is:reply`)
    assert.sameMembers([...new Set(either.map(({ author_id }) => author_id))], [desk.id, other.id])
    assert.isTrue(either.every(({ in_reply_to_user_id }) => in_reply_to_user_id === undefined))
    const repeated = found(`retweets_of:${desk.username}`)
    assert.isTrue(repeated.every(({ text }) => text.startsWith(`RT @${desk.username}: `)))
    const [answer] = found(`to:${desk.username}`)
    const thread = found(`conversation_id:${answer?.conversation_id}`).map(({ id }) => id)
    assert.includeMembers(thread, [answer?.id ?? "", answer?.conversation_id ?? ""])
    assert.isTrue(
      found('url:"polymarket.com/event" bitcoin -is:retweet -"base rate"').every(
        ({ entities }) => entities?.["urls"] !== undefined,
      ),
    )
    assert.isTrue(found("has:images bitcoin -is:retweet").every(({ attachments }) => attachments !== undefined))
    assert.isTrue(found("bitcoin -has:links").every(({ text }) => !text.includes("https://")))
    assert.isTrue(
      found("bitcoin is:quote OR is:quote source").every(
        ({ referenced_tweets }) => referenced_tweets?.[0]?.type === "quoted",
      ),
    )
  })

  it("AND binds tighter than OR, and groups bind tightest", () => {
    const ids = (query: string) => found(query).map(({ id }) => id)
    const apart = [...ids("bitcoin november"), ...ids("$ETH")]
    assert.isEmpty(ids("bitcoin november OR $ETH").filter((id) => !apart.includes(id)))
    assert.isTrue(texts("(bitcoin OR $ETH) november -is:retweet").every((text) => /november/i.test(text)))
    assert.isTrue(texts("november -(bitcoin OR solana) -is:retweet").every((text) => !/bitcoin|solana/i.test(text)))
    assert.strictEqual(search("nothinglikeitatall").meta.result_count, 0)
    assert.hasAllKeys(search("nothinglikeitatall"), ["meta"])
    assert.strictEqual(search("from:nobodyatall").meta.result_count, 0)
  })

  it("invalid queries are rejected", () => {
    const wrong = [
      "since:2026-01-01 bitcoin",
      "bitcoin min_faves:10",
      "bitcoin has:money",
      "is:retweet",
      "-bitcoin",
      "lang:en has:links",
      "bitcoin OR",
      "OR bitcoin",
      "(bitcoin",
      "bitcoin)",
      "()",
      '"bitcoin',
      '""',
      "from:not-a-name",
      "lang:english bitcoin",
      "toString:1",
      "!!!",
      "a".repeat(513),
      "(".repeat(500),
      "",
      "  ",
    ]
    for (const query of wrong) {
      const { status, body, headers } = send(recent, { query })
      assert.strictEqual(status, 400, query)
      const problem = JSON.parse(body)
      assert.hasAllKeys(problem, ["errors", "title", "detail", "type"])
      assert.deepStrictEqual(problem.errors[0].parameters, { query: [query] })
      assert.strictEqual(headers?.["x-rate-limit-limit"], "450")
    }
    assert.include(send(recent, { query: "since:2026-01-01 a" }).body, "Reference to invalid operator 'since'")
    assert.strictEqual(send("/2/tweets/search/all", { query: `bitcoin ${"a".repeat(900)}` }).status, 200)
    const lately = new Date(sim.now() - 10 * minute).toISOString()
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab()"-OR :#$@from\u0000é🚀'.split("")), maxLength: 40 }),
        (query) => {
          assert.oneOf(send(recent, { query, start_time: lately }).status, [200, 400])
        },
      ),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 300 : 100 },
    )
  })
})

describe("x post lists", () => {
  const walk = (path: string, params: Readonly<Record<string, string>>, tokenName: string, most: number) => {
    const pages: Array<ReadonlyArray<Tweet>> = []
    let token: string | undefined
    do {
      const answer: Answer = got(path, { ...params, ...(token === undefined ? {} : { [tokenName]: token }) })
      assert.strictEqual(answer.meta.result_count, answer.data?.length ?? 0)
      pages.push(answer.data ?? [])
      token = answer.meta.next_token
    } while (token !== undefined && pages.length < most)
    return pages
  }

  it("paging by token has no gaps or repeats, newest first", () => {
    const query = "(from:ChainPressIO OR from:CourtsideWire) -is:retweet"
    for (const sort_order of ["recency", "relevancy"]) {
      const pages = walk(recent, { query, max_results: "10", sort_order }, "next_token", 12)
      const ids = pages.flat().map(({ id }) => id)
      assert.isAbove(ids.length, 100)
      assert.lengthOf(new Set(ids), ids.length)
      if (sort_order === "recency")
        assert.deepStrictEqual(
          ids.slice(0, 100),
          found(query).map(({ id }) => id),
        )
    }
    const numbers = found(query).map(({ id }) => BigInt(id))
    assert.isTrue(numbers.every((id, i) => i === 0 || id < (numbers[i - 1] ?? 0n)))
    const { meta } = search(query)
    assert.deepStrictEqual([meta.newest_id, meta.oldest_id], [String(numbers[0]), String(numbers.at(-1))])
  })

  it("are bounded by times and ids", () => {
    const start = genesis - 6 * 60 * minute
    const iso = (at: number) => new Date(at).toISOString()
    const within = found("bitcoin", { start_time: iso(start), end_time: iso(start + 60 * minute) })
    assert.isTrue(within.every((tweet) => timeOf(tweet) >= start && timeOf(tweet) < start + 60 * minute))
    const ids = found("bitcoin").map(({ id }) => id)
    const between = found("bitcoin", { since_id: ids[20] ?? "", until_id: ids[3] ?? "" })
    assert.deepStrictEqual(
      between.map(({ id }) => id),
      ids.slice(4, 20),
    )
    assert.isAtMost(Math.max(...found("bitcoin").map(timeOf)), sim.now())
  })

  it("reject invalid bounds and sizes", () => {
    const iso = (at: number) => new Date(at).toISOString()
    const old = snowflakeId({ at: sim.now() - 8 * day, serial: 0 })
    const wrong: ReadonlyArray<Readonly<Record<string, string>>> = [
      { max_results: "9" },
      { max_results: "101" },
      { max_results: "NaN" },
      { max_results: "1e2" },
      { start_time: iso(sim.now() - 8 * day) },
      { start_time: "yesterday" },
      { start_time: "2026-13-45T00:00:00Z" },
      { end_time: iso(sim.now() - 5_000) },
      { start_time: iso(sim.now() - day), end_time: iso(sim.now() - 2 * day) },
      { since_id: old },
      { since_id: "abc" },
      { since_id: "9".repeat(19) },
      { since_id: snowflakeId({ at: sim.now(), serial: 0 }), start_time: iso(sim.now() - day) },
      { next_token: "made-up" },
      { sort_order: "best" },
      { "tweet.fields": "text,shoe_size" },
      { "user.fields": "toString" },
      { expansions: "author" },
      { pages: "2" },
    ]
    for (const params of wrong) {
      const { status, body } = send(recent, { query: "bitcoin", ...params })
      assert.strictEqual(status, 400, JSON.stringify(params))
      assert.strictEqual(JSON.parse(body).title, "Invalid Request")
    }
    const message = JSON.parse(send(recent, { query: "a", max_results: "9" }).body).errors[0].message
    assert.strictEqual(message, "The `max_results` query parameter value [9] is not between 10 and 100")
    assert.strictEqual(send("/2/tweets/search/all", { query: "bitcoin", since_id: old }).status, 200)
  })

  it("a timeline lists the posts of an account without the excluded kinds", () => {
    const { data: user } = got(`/2/users/by/username/${desk.username.toLowerCase()}`, {
      "user.fields": "public_metrics,verified",
    })
    assert.deepInclude(user, { id: desk.id, username: desk.username, name: desk.name, verified: true })
    const path = `/2/users/${user.id}/tweets`
    const all = walk(path, { max_results: "100", "tweet.fields": everyField }, "pagination_token", 100).flat()
    assert.deepStrictEqual(
      all.slice(0, 100).map(({ id }) => id),
      found(`from:${desk.username}`).map(({ id }) => id),
    )
    assert.lengthOf(new Set(all.map(({ id }) => id)), all.length)
    const own = walk(
      path,
      { max_results: "7", exclude: "retweets,replies", "tweet.fields": everyField },
      "pagination_token",
      5,
    ).flat()
    assert.lengthOf(own, 35)
    const kept = all.filter(
      ({ text, in_reply_to_user_id }) => !text.startsWith("RT @") && in_reply_to_user_id === undefined,
    )
    assert.deepStrictEqual(own, kept.slice(0, 35))
    for (const wrong of [{ max_results: "4" }, { exclude: "quotes" }, { query: "a" }, { pagination_token: "x" }]) {
      assert.strictEqual(send(path, wrong).status, 400, JSON.stringify(wrong))
    }
  })

  it("an unknown account returns an error object with status 200", () => {
    for (const path of ["/2/users/by/username/nobodyatall", "/2/users/1/tweets"]) {
      const [error] = got(path).errors
      assert.deepInclude(error, { title: "Not Found Error", resource_type: "user" })
    }
    for (const path of ["/2/users/by/username/not-a-name", "/2/users/me/tweets", "/2/users/by/username/%E0"]) {
      assert.strictEqual(send(path).status, 400, path)
    }
    assert.strictEqual(send("/2/nothing").status, 404)
  })
})
