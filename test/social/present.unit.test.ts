import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { presentPost } from "#src/social/present.ts"
import { decodePage } from "#src/upstream/x/decode.ts"

const users = [{ id: "7", name: "Chain Press", username: "ChainPressIO" }]

const tweet = (extra: object, id = "20") => ({
  id,
  text: "read https://t.co/a and https://t.co/b",
  created_at: "2026-11-17T07:20:11.000Z",
  author_id: "7",
  ...extra,
})

const presented = (data: ReadonlyArray<object>, includes: object = {}) => {
  const { posts, undecodable } = decodePage({ data, includes: { users, ...includes } })
  return { posts: posts.map(presentPost), undecodable }
}

const shown = (extra: object, includes?: object) => {
  const { posts, undecodable } = presented([tweet(extra)], includes)
  assert.deepStrictEqual([posts.length, undecodable.length], [1, 0])
  return posts[0] ?? assert.fail("no post")
}

const link = (name: string, extra: object = {}) => ({
  url: `https://t.co/${name}`,
  expanded_url: `https://www.${name}.example/page`,
  display_url: `${name}.example/page`,
  ...extra,
})

const image = (name: string, width: unknown) => ({ url: `https://pbs.twimg.com/${name}`, width, height: 1 })

describe("Cards of posts", () => {
  const page = {
    title: "A page",
    description: "About it",
    unwound_url: "https://www.end.example/page?x=1",
    images: [image("small", 150), image("large", 1200)],
  }

  it("show the last link whose page is known", () => {
    const urls = [link("a", page), link("b", { title: "Another" }), link("c")]
    const post = shown({ entities: { urls } })
    assert.deepStrictEqual(post.card, {
      url: "https://www.b.example/page",
      domain: "b.example",
      title: "Another",
      description: null,
      image_url: null,
    })
    assert.deepStrictEqual(shown({ entities: { urls: [link("a", page)] } }).card, {
      url: "https://www.end.example/page?x=1",
      domain: "end.example",
      title: "A page",
      description: "About it",
      image_url: "https://pbs.twimg.com/large",
    })
    assert.notProperty(shown({ entities: { urls: [link("a")] } }), "card")
    assert.notProperty(shown({}), "card")
  })

  it("are those of the whole text of a long post", () => {
    const note = (urls: ReadonlyArray<object>) => ({ text: "long https://t.co/a https://t.co/b", entities: { urls } })
    const known = shown({ note_tweet: note([link("a"), link("b")]), entities: { urls: [link("b", page), link("c")] } })
    assert.strictEqual(known.card?.title, "A page")
    assert.deepStrictEqual(
      known.urls?.map(({ url }) => url.slice(-1)),
      ["a", "b", "c"],
    )
    assert.strictEqual(
      shown({ note_tweet: note([link("b", page)]), entities: { urls: [link("b")] } }).card?.title,
      "A page",
    )
  })

  it("give way to media and quoted posts", () => {
    const entities = { urls: [link("a", page)] }
    const media = [{ media_key: "3_1", type: "photo", url: "https://pbs.twimg.com/media/1.jpg" }]
    assert.notProperty(shown({ entities, attachments: { media_keys: ["3_1"] } }, { media }), "card")
    const referenced_tweets = [{ type: "quoted", id: "10" }]
    const quoting = shown({ entities, referenced_tweets }, { tweets: [tweet({ entities }, "10")] })
    assert.notProperty(quoting, "card")
    assert.strictEqual(quoting.quoted_tweet?.card?.title, "A page")
    const retweet = shown(
      { referenced_tweets: [{ type: "retweeted", id: "10" }] },
      { tweets: [tweet({ entities }, "10")] },
    )
    assert.strictEqual(retweet.card?.title, "A page")
  })

  it("never cost a post, whatever X sends", () => {
    const { images: _, ...words } = page
    for (const wrong of [null, 5, "x", {}, [], [null, 5, "x", {}, { url: 5, width: "x" }, { url: "javascript:1" }]]) {
      const post = shown({ entities: { urls: [link("a", { ...words, images: wrong })] } })
      assert.deepInclude(post.card, { title: "A page", image_url: null })
    }
    for (const wrong of [null, 5, "", " ", {}, []]) {
      assert.notProperty(shown({ entities: { urls: [link("a", { ...page, title: wrong })] } }), "card")
      assert.strictEqual(
        shown({ entities: { urls: [link("a", { ...page, description: wrong })] } }).card?.description,
        null,
      )
    }
    for (const wrong of [null, 5, "javascript:alert(1)", "", {}, []]) {
      const urls = [link("a", { ...page, unwound_url: wrong })]
      assert.strictEqual(shown({ entities: { urls } }).card?.url, "https://www.a.example/page")
    }
    const odd = shown({
      entities: { urls: [null, 5, {}, { url: 7 }, link("a", { title: "A", unwound_url: "https://" })] },
    })
    assert.deepInclude(odd.card, { title: "A", domain: "" })
    for (const entities of [null, 5, "x", [], { urls: null }, { urls: {} }, { urls: [null] }]) {
      assert.notProperty(shown({ entities }), "card")
      assert.notProperty(shown({ entities }), "urls")
    }
  })
})

describe("Articles of posts", () => {
  const article = {
    title: "Price &lt; cost &amp; more",
    preview_text: "How it…",
    plain_text: "How it began\nand ended &gt; there",
    cover_media: "3_9",
    media_entities: ["3_9"],
    entities: { urls: [{ text: "https://polymarket.com" }] },
  }
  const media = [{ media_key: "3_9", type: "photo", url: "https://pbs.twimg.com/media/9.jpg" }]
  const entities = { urls: [{ url: "https://t.co/a", expanded_url: "http://x.com/i/article/19" }] }
  const whole = {
    title: "Price < cost & more",
    url: "http://x.com/i/article/19",
    preview_text: "How it…",
    plain_text: "How it began\nand ended > there",
    image_url: "https://pbs.twimg.com/media/9.jpg",
  }

  it("have a title, their text and the cover", () => {
    assert.deepStrictEqual(shown({ article, entities }, { media }).article, whole)
    assert.deepStrictEqual(shown({ article: { title: "Only this" } }).article, {
      title: "Only this",
      url: "https://x.com/ChainPressIO/status/20",
      preview_text: null,
      plain_text: null,
      image_url: null,
    })
  })

  it("belong to the post that publishes them", () => {
    const tweets = [tweet({ article, entities }, "10")]
    const quoting = shown({ article, referenced_tweets: [{ type: "quoted", id: "10" }] }, { media, tweets })
    assert.notProperty(quoting, "article")
    assert.deepStrictEqual(quoting.quoted_tweet?.article, whole)
    const own = { ...article, title: "Own" }
    const both = shown({ article: own, referenced_tweets: [{ type: "quoted", id: "10" }] }, { media, tweets })
    assert.deepStrictEqual([both.article?.title, both.quoted_tweet?.article?.title], ["Own", whole.title])
    const retweet = shown({ referenced_tweets: [{ type: "retweeted", id: "10" }] }, { media, tweets })
    assert.deepStrictEqual(retweet.article, whole)
  })

  it("never cost a post, whatever X sends", () => {
    for (const wrong of [null, 5, "x", {}, [], { title: null }, { title: 5, plain_text: "x" }, { title: " " }]) {
      assert.notProperty(shown({ article: wrong }), "article")
    }
    for (const wrong of [null, 5, {}, []]) {
      for (const part of ["preview_text", "plain_text"] as const) {
        const found = shown({ article: { ...article, [part]: wrong }, entities }, { media }).article
        assert.deepStrictEqual(found, { ...whole, [part]: null })
      }
      for (const cover of [wrong, "3_404"]) {
        const found = shown({ article: { ...article, cover_media: cover }, entities }, { media }).article
        assert.deepStrictEqual(found, { ...whole, image_url: null })
      }
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (any, urls, page) => {
        const odd = [link("a", { title: "A", images: any, description: page, unwound_url: urls })]
        const { posts } = presented([
          tweet({ article: any, entities: { urls } }, "1"),
          tweet(
            { article: { title: "A", plain_text: any, cover_media: urls, preview_text: page }, entities: any },
            "2",
          ),
          tweet({ entities: { urls: odd } }, "3"),
        ])
        assert.deepStrictEqual(
          posts.map(({ id }) => id),
          ["1", "2", "3"],
        )
        assert.strictEqual(posts[2]?.card?.title, "A")
      }),
    )
  })
})
