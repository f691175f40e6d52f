import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { makeServer } from "#src/simulator/server.ts"
import { parseSnowflake, snowflakeId } from "#src/simulator/x/snowflake.ts"
import { xService } from "#src/simulator/x/xService.ts"
import { type Answer, desk, found, frozen, genesis, got, minute, recent, search, send, sim, texts } from "./xWorld.ts"

describe("x posts", () => {
  it("have few fields by default and an id that encodes the time", () => {
    const plain: Answer = got(recent, { query: "bitcoin" })
    assert.lengthOf(plain.data ?? [], 10)
    assert.notProperty(plain, "includes")
    for (const tweet of plain.data ?? []) {
      assert.sameMembers(Object.keys(tweet), ["id", "text", "edit_history_tweet_ids"])
    }
    for (const tweet of found("bitcoin")) {
      const stamp = parseSnowflake(tweet.id)
      assert.strictEqual(new Date(stamp?.at ?? 0).toISOString(), tweet.created_at)
      assert.match(tweet.created_at, /\.\d{3}Z$/)
      assert.hasAllKeys(tweet.public_metrics, [
        "retweet_count",
        "reply_count",
        "like_count",
        "quote_count",
        "bookmark_count",
        "impression_count",
      ])
    }
  })

  it("have entities with positions counted in characters", () => {
    const tweets = found("bitcoin OR solana OR lakers OR has:links bitcoin", { sort_order: "relevancy" })
    let seen = 0
    for (const { text, entities = {} } of tweets) {
      const characters = [...text]
      const at = ({ start, end }: Readonly<Record<string, unknown>>) =>
        characters.slice(Number(start), Number(end)).join("")
      for (const url of entities["urls"] ?? []) {
        assert.strictEqual(at(url), url["url"])
        assert.match(
          String(url["expanded_url"]),
          /^(https:\/\/(polymarket|x)\.com\/|http:\/\/x\.com\/i\/article\/\d+$)/,
        )
      }
      for (const tag of entities["hashtags"] ?? []) assert.strictEqual(at(tag), `#${tag["tag"]}`)
      for (const tag of entities["cashtags"] ?? []) assert.strictEqual(at(tag), `$${tag["tag"]}`)
      for (const mention of entities["mentions"] ?? []) assert.strictEqual(at(mention), `@${mention["username"]}`)
      if (characters.length < text.length && entities["hashtags"] !== undefined) seen += 1
    }
    assert.isAbove(seen, 0)
  })

  it("are escaped, and long posts are truncated with the full text in a note", () => {
    assert.isTrue(texts('"my gut disagree"').every((text) => text.includes("model &amp; my gut")))
    const long = found('"base rate" -is:retweet')
    for (const { text, note_tweet } of long) {
      assert.isAtMost([...text.replaceAll("&amp;", "&")].length, 280)
      assert.isTrue(text.endsWith("…"))
      assert.isTrue(note_tweet?.text.startsWith(text.slice(0, -1)))
    }
    assert.isTrue(found('bitcoin -"base rate" -is:retweet').every(({ note_tweet }) => note_tweet === undefined))
  })

  it("reference earlier posts, which expansions include", () => {
    const expansions = "author_id,referenced_tweets.id.author_id,in_reply_to_user_id,attachments.media_keys"
    const { data = [], includes = {} } = search("from:ChainPressIO OR from:CourtsideWire", { expansions })
    const users = new Set(includes["users"]?.map(({ id }) => id))
    const tweets = new Map(includes["tweets"]?.map((tweet) => [tweet["id"], tweet]))
    const media = new Set(includes["media"]?.map(({ media_key }) => media_key))
    assert.lengthOf(users, includes["users"]?.length ?? 0)
    const types = new Set<string>()
    for (const { author_id, referenced_tweets = [], in_reply_to_user_id, attachments, id, conversation_id } of data) {
      assert.isTrue(users.has(author_id))
      for (const key of attachments?.media_keys ?? []) assert.isTrue(media.has(key))
      for (const { type, id: earlier } of referenced_tweets) {
        types.add(type)
        assert.isTrue(BigInt(earlier) < BigInt(id))
        const reference = tweets.get(earlier)
        assert.isDefined(reference)
        assert.isTrue(users.has(reference?.["author_id"]))
        if (type === "replied_to") assert.strictEqual(in_reply_to_user_id, reference?.["author_id"])
        assert.strictEqual(conversation_id, type === "replied_to" ? earlier : id)
      }
    }
    assert.sameMembers([...types], ["replied_to", "quoted", "retweeted"])
    assert.isNotEmpty([...media])
  })

  it("say what is known of a linked page", () => {
    const urls = found("url:polymarket.com has:links").flatMap(({ entities = {} }) => entities["urls"] ?? [])
    const pages = urls.filter(({ title }) => title !== undefined)
    assert.isTrue(
      pages.every(({ status, unwound_url, expanded_url }) => status === 200 && unwound_url === expanded_url),
    )
    for (const part of ["description", "images"]) {
      const count = pages.filter((page) => part in page).length
      assert.isTrue(count > 0 && count < pages.length, part)
    }
    for (const { images } of pages) {
      for (const image of (images ?? []) as ReadonlyArray<object>) assert.hasAllKeys(image, ["url", "width", "height"])
    }
  })

  it("publish articles, which quoting posts repeat", () => {
    const query = "url:x.com/i/article -is:retweet"
    assert.isTrue(found(query).every(({ article }) => article === undefined))
    const { data = [], includes = {} } = search(query, {
      "tweet.fields": "article,entities,attachments,note_tweet",
      expansions: "article.cover_media",
    })
    const media = new Set(includes["media"]?.map(({ media_key }) => media_key))
    const covers = data.flatMap(({ article }) => article?.["cover_media"] ?? [])
    assert.isTrue(covers.length > 0 && covers.length < data.length)
    assert.sameMembers([...media], covers)
    for (const { text, article = {}, entities = {}, attachments, note_tweet } of data) {
      assert.isUndefined(attachments)
      if (note_tweet === undefined) assert.lengthOf(entities["urls"] ?? [], 1)
      assert.isTrue(text.endsWith(String(entities["urls"]?.[0]?.["url"])) || text.endsWith("…"))
      assert.isTrue(String(article["plain_text"]).startsWith(String(article["preview_text"]).slice(0, -1)))
      assert.notMatch(String(article["title"]), /[<>]|&(?!amp;|lt;|gt;)/)
    }
    const quoting = search("url:x.com is:quote", {
      "tweet.fields": "article,referenced_tweets",
      expansions: "referenced_tweets.id",
    })
    const quoted = new Map(quoting.includes?.["tweets"]?.map((tweet) => [tweet["id"], tweet["article"]]))
    for (const { article, referenced_tweets = [] } of quoting.data ?? []) {
      assert.deepStrictEqual(article, quoted.get(referenced_tweets[0]?.id))
    }
    assert.isTrue(quoting.data?.some(({ article }) => article !== undefined))
  })

  it("likes grow over time, and retweets count for the original", () => {
    const moving = frozen()
    const later = xService(moving)
    const likes = () => {
      const params = {
        query: "from:ChainPressIO",
        max_results: "100",
        "tweet.fields": "public_metrics",
        until_id: String(newest),
      }
      const { data = [] }: Answer = JSON.parse(send(recent, params, later).body)
      return data.reduce((sum, { public_metrics }) => sum + (public_metrics["like_count"] ?? 0), 0)
    }
    const newest = snowflakeId({ at: genesis, serial: 0 })
    const before = likes()
    moving.advance(60 * minute)
    assert.isAbove(likes(), before)
    for (const { text, public_metrics } of found("is:retweet bitcoin")) {
      assert.match(text, /^RT @\w+: /)
      assert.strictEqual(public_metrics["like_count"], 0)
    }
  })
})

describe("xService", () => {
  it("requires a bearer token and rate-limits it", () => {
    const moving = frozen()
    const counted = xService(moving)
    const request = {
      method: "GET",
      path: recent,
      query: new URLSearchParams({ query: "bitcoin" }),
      target: recent,
      body: "",
    }
    for (const authorization of [undefined, "", "Bearer", "Bearer ", "Basic abc"]) {
      const { status, body } = counted({ ...request, headers: { authorization } })
      assert.strictEqual(status, 401)
      assert.deepInclude(JSON.parse(body), { title: "Unauthorized", status: 401 })
    }
    const use = (token: string) => send(recent, { query: "bitcoin" }, counted, token)
    const first = use("one")
    assert.deepInclude(first.headers, { "x-rate-limit-limit": "450", "x-rate-limit-remaining": "449" })
    for (let i = 1; i < 450; i++) assert.strictEqual(use("one").status, 200)
    const refused = use("one")
    assert.strictEqual(refused.status, 429)
    assert.deepStrictEqual(JSON.parse(refused.body), {
      title: "Too Many Requests",
      detail: "Too Many Requests",
      type: "about:blank",
      status: 429,
    })
    assert.strictEqual(refused.headers?.["x-rate-limit-remaining"], "0")
    assert.strictEqual(use("two").status, 200)
    assert.strictEqual(send(`/2/users/by/username/${desk.username}`, {}, counted, "one").status, 200)
    const reset = Number(refused.headers?.["x-rate-limit-reset"]) * 1000
    assert.strictEqual(reset, moving.now() + 15 * minute)
    moving.advance(reset - moving.now())
    assert.strictEqual(use("one").status, 200)
    assert.strictEqual(counted({ ...request, method: "POST", headers: { authorization: "Bearer a" } }).status, 405)
  })

  it("posts are deterministic and never change", () => {
    const twin = frozen()
    const params = {
      query: "bitcoin OR lakers",
      "tweet.fields": "text",
      until_id: snowflakeId({ at: genesis, serial: 0 }),
    }
    const before = send(recent, params).body
    assert.strictEqual(send(recent, params, xService(twin)).body, before)
    twin.advance(60 * minute)
    const { data } = JSON.parse(send(recent, params, xService(twin)).body)
    assert.deepStrictEqual(data, JSON.parse(before).data)
  })

  it("serves over HTTP", async () => {
    const server = makeServer({ services: { "/x": xService(sim) }, sockets: {} }, (fault) => assert.fail(String(fault)))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`
    const path = `${recent}?query=${encodeURIComponent("from:ChainPressIO (bitcoin OR $BTC) -is:retweet")}`
    const response = await fetch(`${base}${path}`, { headers: { authorization: "Bearer token" } })
    assert.strictEqual(response.headers.get("x-rate-limit-remaining"), "449")
    const { data } = (await response.json()) as Answer
    assert.lengthOf(data ?? [], 10)
    const refused = await fetch(`${base}${path}`)
    assert.strictEqual(refused.status, 401)
    assert.include(refused.headers.get("content-type") ?? "", "application/problem+json")
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
