import type { XArticle, XLink, XMedia, XPost } from "#src/upstream/x/model.ts"
import type { SocialArticle, SocialCard, SocialLink, SocialMedia, SocialPost } from "./model.ts"

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The network's own form: `Wed Oct 10 20:19:24 +0000 2018`. */
export const nativeTime = (millis: number): string => {
  const date = new Date(millis)
  const day = String(date.getUTCDate()).padStart(2, "0")
  const time = date.toISOString().slice(11, 19)
  return `${days[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${day} ${time} +0000 ${date.getUTCFullYear()}`
}

/** The text with the targets of its links. Longer links first, because one may begin with another. */
const expandedText = (text: string, links: ReadonlyArray<XLink>): string =>
  links
    .toSorted((a, b) => b.url.length - a.url.length)
    .reduce((expanded, { url, expandedUrl }) => expanded.replaceAll(url, () => expandedUrl), text)

const linkOf = ({ url, expandedUrl, displayUrl, title, description }: XLink): SocialLink => ({
  url,
  expanded_url: expandedUrl,
  display_url: displayUrl,
  title: title ?? null,
  description: description ?? null,
})

const mediaOf = ({ key, type, url, videoUrl }: XMedia, links: ReadonlyArray<XLink>): SocialMedia => ({
  type,
  url: url ?? null,
  expanded_url: links.find(({ mediaKey }) => mediaKey === key)?.expandedUrl ?? null,
  ...(videoUrl === undefined ? {} : { video_url: videoUrl }),
})

/** X has no cards in its answers. It shows that of the last link whose page it knows, and none beside media or a quoted post. */
const cardOf = ({ media, quoted, links }: Pick<XPost, "media" | "quoted" | "links">): SocialCard | undefined => {
  if (media.length > 0 || quoted !== undefined) return undefined
  const link = links.findLast(({ title }) => title !== undefined)
  if (link?.title === undefined) return undefined
  const url = link.unwoundUrl ?? link.expandedUrl
  return {
    url,
    domain: URL.parse(url)?.hostname.replace(/^www\./, "") ?? "",
    title: link.title,
    description: link.description ?? null,
    image_url: link.imageUrl ?? null,
  }
}

const articleOf = (
  { title, previewText, plainText, imageUrl }: XArticle,
  { id, author, links }: Pick<XPost, "id" | "author" | "links">,
): SocialArticle => ({
  title,
  url:
    links.find(({ expandedUrl }) => /\/article\/\d+$/.test(expandedUrl))?.expandedUrl ??
    `https://x.com/${author.username}/status/${id}`,
  preview_text: previewText ?? null,
  plain_text: plainText ?? null,
  image_url: imageUrl ?? null,
})

export const presentPost = (whole: XPost): SocialPost => {
  const { links, metrics, author, media, quoted, article, ...post } = whole
  const urls = links.filter(({ mediaKey }) => mediaKey === undefined)
  const card = cardOf(whole)
  return {
    id: post.id,
    text: expandedText(post.text, links),
    created_at: nativeTime(post.at),
    public_metrics: {
      retweet_count: metrics.retweets,
      reply_count: metrics.replies,
      like_count: metrics.likes,
      quote_count: metrics.quotes,
      bookmark_count: metrics.bookmarks,
      impression_count: String(metrics.impressions),
    },
    author: { id: author.id, name: author.name, username: author.username },
    conversation_id: post.conversationId,
    ...(urls.length === 0 ? {} : { urls: urls.map(linkOf) }),
    ...(media.length === 0 ? {} : { media: media.map((each) => mediaOf(each, links)) }),
    ...(card === undefined ? {} : { card }),
    ...(quoted === undefined ? {} : { quoted_tweet: presentPost(quoted) }),
    ...(article === undefined ? {} : { article: articleOf(article, whole) }),
  }
}
