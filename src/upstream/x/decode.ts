import { Result, Schema } from "effect"
import type { UndecodableItem } from "../undecodable.ts"
import { articleOf, fieldsOf, imageOf, textOf, unescaped, webOf } from "./extras.ts"
import type { XLink, XMedia, XMetrics, XPage, XPost, XUser } from "./model.ts"
import { WireMedia, type WirePage, WireTweet, WireUrl, WireUser } from "./wire.ts"

const linkOf = ({ url, expanded_url, display_url, media_key, ...page }: WireUrl): XLink => ({
  url,
  expandedUrl: webOf(expanded_url) ?? url,
  displayUrl: display_url ?? url,
  title: textOf(page.title),
  description: textOf(page.description),
  unwoundUrl: webOf(page.unwound_url),
  imageUrl: imageOf(page.images),
  mediaKey: media_key ?? undefined,
})

const mediaOf = ({ media_key, type, url, preview_image_url, variants = [] }: WireMedia): XMedia => {
  const videos = variants.filter((variant) => variant.content_type === "video/mp4")
  const best = videos.toSorted((a, b) => (b.bit_rate ?? 0) - (a.bit_rate ?? 0))[0]
  return { key: media_key, type, url: url ?? preview_image_url ?? undefined, videoUrl: best?.url ?? undefined }
}

const metricsOf = (counts: WireTweet["public_metrics"] = {}): XMetrics => ({
  retweets: counts.retweet_count ?? 0,
  replies: counts.reply_count ?? 0,
  likes: counts.like_count ?? 0,
  quotes: counts.quote_count ?? 0,
  bookmarks: counts.bookmark_count ?? 0,
  impressions: counts.impression_count ?? 0,
})

const decoders = {
  post: Schema.decodeUnknownResult(WireTweet),
  user: Schema.decodeUnknownResult(WireUser),
  media: Schema.decodeUnknownResult(WireMedia),
  link: Schema.decodeUnknownResult(WireUrl),
}

/** Those of a text that can be read. */
const linksOf = (entities: unknown): ReadonlyArray<XLink> => {
  const { urls } = fieldsOf(entities)
  return Array.isArray(urls)
    ? urls.flatMap((each) => {
        const link = decoders.link(each)
        return Result.isSuccess(link) ? [linkOf(link.success)] : []
      })
    : []
}

/** A note has all links of its text, but may lack a quoted post, and what is known of pages. */
const allLinks = (ofNote: ReadonlyArray<XLink>, ofText: ReadonlyArray<XLink>): ReadonlyArray<XLink> => {
  const byUrl = new Map(ofNote.map((link) => [link.url, link]))
  for (const link of ofText) if (byUrl.get(link.url)?.title === undefined) byUrl.set(link.url, link)
  return [...byUrl.values()]
}

/** What the posts of a page refer to. */
interface Included {
  readonly users: ReadonlyMap<string, XUser>
  readonly tweets: ReadonlyMap<string, WireTweet>
  readonly media: ReadonlyMap<string, XMedia>
}

/** A retweet is cut after 140 characters; the whole text is that of the original. */
const retweetText = (own: string, original: XPost): string => {
  const start = /^RT @\w{1,15}: /.exec(own)?.[0]
  return start === undefined ? own : `${start}${original.text}`
}

const postOf = (tweet: WireTweet, included: Included, depth = 0): XPost | undefined => {
  const author = included.users.get(tweet.author_id)
  const at = Date.parse(tweet.created_at)
  if (author === undefined || Number.isNaN(at)) return undefined
  const referenced = (type: string) => {
    const id = tweet.referenced_tweets?.find((each) => each.type === type)?.id
    const other = id === undefined || depth > 0 ? undefined : included.tweets.get(id)
    return other && postOf(other, included, depth + 1)
  }
  const original = referenced("retweeted")
  const quoted = referenced("quoted")
  const text = unescaped(tweet.note_tweet?.text ?? tweet.text)
  const links = allLinks(linksOf(tweet.note_tweet?.entities), linksOf(tweet.entities))
  const media = (tweet.attachments?.media_keys ?? []).flatMap((key) => included.media.get(key) ?? [])
  const article = articleOf(tweet.article, (key) => included.media.get(key)?.url)
  return {
    id: tweet.id,
    at,
    text: original === undefined ? text : retweetText(text, original),
    links: original === undefined ? links : original.links,
    author,
    conversationId: tweet.conversation_id ?? tweet.id,
    metrics: metricsOf(tweet.public_metrics),
    media: original === undefined ? media : original.media,
    quoted,
    // X repeats the article of a quoted post in the one that quotes it.
    article: original?.article ?? (article?.title === quoted?.article?.title ? undefined : article),
  }
}

/** The posts of a page; rows that do not decode are reported and left out. */
export const decodePage = (
  page: typeof WirePage.Type,
): XPage & { readonly undecodable: ReadonlyArray<UndecodableItem> } => {
  const undecodable: Array<UndecodableItem> = []
  const decoded = <A>(rows: ReadonlyArray<unknown> = [], decode: (row: unknown) => Result.Result<A, unknown>) =>
    rows.flatMap((row) => {
      const result = decode(row)
      if (Result.isSuccess(result)) return [result.success]
      // Without the row: it may repeat the query, and is somebody's post.
      undecodable.push({ reason: "a row without the documented fields", item: "" })
      return []
    })
  const { data = [], includes = {} } = page
  const included: Included = {
    users: new Map(decoded(includes.users, decoders.user).map((user) => [user.id, user])),
    tweets: new Map(decoded(includes.tweets, decoders.post).map((tweet) => [tweet.id, tweet])),
    media: new Map(decoded(includes.media, decoders.media).map((media) => [media.media_key, mediaOf(media)])),
  }
  const posts = decoded(data, decoders.post).flatMap((tweet) => {
    const post = postOf(tweet, included)
    if (post === undefined) undecodable.push({ reason: "a post without an author or a time", item: "" })
    return post ?? []
  })
  return {
    posts,
    next: page.meta?.next_token ?? undefined,
    read: data.length + (includes.tweets?.length ?? 0),
    undecodable,
  }
}
