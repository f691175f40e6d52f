import type { XLink, XMedia, XPost } from "#src/upstream/x/model.ts"
import type { SocialLink, SocialMedia, SocialPost } from "./model.ts"

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
export const expandedText = (text: string, links: ReadonlyArray<XLink>): string =>
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

export const presentPost = ({ links, metrics, author, media, quoted, ...post }: XPost): SocialPost => {
  const urls = links.filter(({ mediaKey }) => mediaKey === undefined)
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
    ...(quoted === undefined ? {} : { quoted_tweet: presentPost(quoted) }),
  }
}
