import type { Millis } from "../world/model.ts"
import { type Account, accountByUsername } from "./accounts.ts"
import { metricsOf } from "./metrics.ts"
import type { Article, Link, Post } from "./Post.ts"
import { type FieldSelection, pickFields } from "./parameters.ts"
import { articleUrl } from "./phrases.ts"

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** The API escapes markup characters. */
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => signs[sign] ?? sign)

/** Start and end of each match, counted in code points instead of UTF-16 units. */
const matchSpans = (text: string, pattern: RegExp): ReadonlyArray<{ start: number; end: number; value: string }> =>
  [...text.matchAll(pattern)].map((match) => {
    const start = [...text.slice(0, match.index)].length
    return { start, end: start + [...match[0]].length, value: match[1] ?? match[0] }
  })

const picture = (name: string, size: string, width: number, height: number) => ({
  url: `https://pbs.twimg.com/news_img/${name}/picture?format=jpg&name=${size}`,
  width,
  height,
})

const pageJson = ({ title, description, picture: name }: NonNullable<Link["page"]>) => ({
  ...(name === undefined ? {} : { images: [picture(name, "orig", 1200, 630), picture(name, "150x150", 150, 150)] }),
  title,
  ...(description === undefined ? {} : { description }),
})

const urlsIn = (text: string, links: ReadonlyArray<Link>) =>
  matchSpans(text, /https:\/\/t\.co\/\w+/g).flatMap(({ start, end, value }) => {
    const link = links.find(({ url }) => url === value)
    if (link === undefined) return []
    const { url, expanded, display, page, mediaKey } = link
    const read = page === undefined ? {} : { ...pageJson(page), status: 200, unwound_url: expanded }
    const media = mediaKey === undefined ? {} : { media_key: mediaKey }
    return [{ start, end, url, expanded_url: expanded, display_url: display, ...read, ...media }]
  })

/** The entities of a text; undefined when there are none. */
const entitiesOf = (text: string, links: ReadonlyArray<Link>) => {
  const hashtags = matchSpans(text, /#([\p{L}\p{N}_]+)/gu).map(({ start, end, value }) => ({ start, end, tag: value }))
  const cashtags = matchSpans(text, /\$([A-Za-z]{1,6})\b/g).map(({ start, end, value }) => ({ start, end, tag: value }))
  const mentions = matchSpans(text, /@(\w{1,15})/g).flatMap(({ start, end, value }) => {
    const account = accountByUsername(value)
    return account === undefined ? [] : [{ start, end, username: account.username, id: account.id }]
  })
  const all = { urls: urlsIn(text, links), hashtags, mentions, cashtags }
  const present = Object.entries(all).filter(([, list]) => list.length > 0)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

const mentionsIn = (text: string): ReadonlyArray<string> => matchSpans(text, /@(\w{1,15})/g).map(({ value }) => value)

const maxLength = 280
const maxRetweetLength = 140

const truncate = (text: string, max: number): string => {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`
}

/** Retweets and long posts are truncated; a note holds the full text of the latter. */
const shownText = ({ kind, full }: Post): string =>
  escaped(truncate(full, kind === "retweet" ? maxRetweetLength : maxLength))

const noteOf = ({ kind, full, links }: Post) => {
  if (kind === "retweet" || [...full].length <= maxLength) return undefined
  const text = escaped(full)
  return { text, entities: entitiesOf(text, links) }
}

const maxPreview = 200

const articleJson = ({ title, text, cover }: Article) => ({
  title: escaped(title),
  preview_text: escaped(truncate(text, maxPreview)),
  plain_text: escaped(text),
  ...(cover === undefined ? {} : { cover_media: cover }),
  entities: { urls: [{ text: articleUrl }] },
})

/** A post that quotes one with an article repeats it. */
const articleIn = (post: Post) => (post.kind === "quote" ? post.reference?.article : post.article)

const referenceTypes = { reply: "replied_to", quote: "quoted", retweet: "retweeted", post: "" } as const

export const tweetJson = (post: Post, { tweet }: FieldSelection, now: Millis): Record<string, unknown> => {
  const { reference, id } = post
  const article = tweet.has("article") ? articleIn(post) : undefined
  const text = shownText(post)
  return pickFields(
    {
      id,
      text,
      edit_history_tweet_ids: [id],
      created_at: new Date(post.at).toISOString(),
      author_id: post.author.id,
      conversation_id: post.conversationId,
      in_reply_to_user_id: post.kind === "reply" ? reference?.author.id : undefined,
      lang: post.lang,
      public_metrics: tweet.has("public_metrics") ? metricsOf(post, now) : undefined,
      entities: tweet.has("entities") ? entitiesOf(text, post.links) : undefined,
      referenced_tweets: reference && [{ type: referenceTypes[post.kind], id: reference.id }],
      attachments: post.hasPhoto ? { media_keys: [post.mediaKey] } : undefined,
      note_tweet: noteOf(post),
      article: article && articleJson(article),
      possibly_sensitive: false,
      reply_settings: "everyone",
    },
    tweet,
  )
}

export const userJson = (account: Account, { user }: FieldSelection): Record<string, unknown> => {
  const { id, name, username, createdAt, description, location, verified, followers, following } = account
  return pickFields(
    {
      id,
      name,
      username,
      created_at: new Date(createdAt).toISOString(),
      description,
      location: location === "" ? undefined : location,
      protected: false,
      verified: verified !== "none",
      verified_type: verified,
      url: "",
      profile_image_url: `https://pbs.twimg.com/profile_images/${id}/photo_normal.jpg`,
      public_metrics: {
        followers_count: followers,
        following_count: following,
        tweet_count: following * 17 + (followers % 997),
        listed_count: Math.floor(followers / 150),
        like_count: following * 5,
        media_count: following * 2,
      },
    },
    user,
  )
}

const mediaJson = (key: string, { media }: FieldSelection) =>
  pickFields(
    {
      media_key: key,
      type: "photo",
      url: `https://pbs.twimg.com/media/${key}.jpg`,
      width: 1200,
      height: 675,
      alt_text: "A chart",
    },
    media,
  )

const uniqueBy = <A>(list: ReadonlyArray<A>, keyOf: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(list.map((item) => [keyOf(item), item])).values(),
]

const definedOnly = <A>(list: ReadonlyArray<A | undefined>): ReadonlyArray<A> =>
  list.filter((each): each is A & {} => each !== undefined)

const accountsOf = (posts: ReadonlyArray<Post>, references: ReadonlyArray<Post>, expansions: ReadonlySet<string>) => [
  ...(expansions.has("author_id") ? posts.map(({ author }) => author) : []),
  ...(expansions.has("in_reply_to_user_id")
    ? posts.flatMap((post) => (post.kind === "reply" ? definedOnly([post.reference?.author]) : []))
    : []),
  ...(expansions.has("entities.mentions.username")
    ? definedOnly(posts.flatMap((post) => mentionsIn(shownText(post)).map(accountByUsername)))
    : []),
  ...(expansions.has("referenced_tweets.id.author_id") ? references.map(({ author }) => author) : []),
]

/** The requested expansions of posts, each object once; undefined when there are none. */
export const includesOf = (posts: ReadonlyArray<Post>, selection: FieldSelection, now: Millis) => {
  const { expansions } = selection
  const references = definedOnly(posts.map(({ reference }) => reference))
  const isShown = [...expansions].some((each) => each.startsWith("referenced_tweets.id"))
  const photos = [
    ...(expansions.has("attachments.media_keys") ? posts : []),
    ...(expansions.has("referenced_tweets.id.attachments.media_keys") ? references : []),
  ].flatMap(({ hasPhoto, mediaKey }) => (hasPhoto ? [mediaKey] : []))
  const covers = expansions.has("article.cover_media") ? posts.map((post) => articleIn(post)?.cover) : []
  const all = {
    users: uniqueBy(accountsOf(posts, references, expansions), ({ id }) => id).map((account) =>
      userJson(account, selection),
    ),
    tweets: (isShown ? uniqueBy(references, ({ id }) => id) : []).map((post) => tweetJson(post, selection, now)),
    media: [...new Set([...photos, ...definedOnly(covers)])].map((key) => mediaJson(key, selection)),
  }
  const filled = Object.entries(all).filter(([, list]) => list.length > 0)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}
