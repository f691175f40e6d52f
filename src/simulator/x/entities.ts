import { accountNamed } from "./accounts.ts"
import type { Link } from "./Post.ts"

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** Texts leave the service with the signs of markup escaped. */
export const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => signs[sign] ?? sign)

/** Where each match begins and ends, counted in whole characters rather than in halves of pairs. */
const spans = (text: string, pattern: RegExp): ReadonlyArray<{ start: number; end: number; value: string }> =>
  [...text.matchAll(pattern)].map((match) => {
    const start = [...text.slice(0, match.index)].length
    return { start, end: start + [...match[0]].length, value: match[1] ?? match[0] }
  })

const urlsIn = (text: string, links: ReadonlyArray<Link>) =>
  spans(text, /https:\/\/t\.co\/\w+/g).flatMap(({ start, end, value }) => {
    const link = links.find(({ url }) => url === value)
    if (link === undefined) return []
    const { url, expanded, display, title, mediaKey } = link
    const read = title === undefined ? {} : { status: 200, title, unwound_url: expanded }
    const media = mediaKey === undefined ? {} : { media_key: mediaKey }
    return [{ start, end, url, expanded_url: expanded, display_url: display, ...read, ...media }]
  })

/** What stands in a text besides words; undefined when nothing does. */
export const entitiesOf = (text: string, links: ReadonlyArray<Link>) => {
  const hashtags = spans(text, /#([\p{L}\p{N}_]+)/gu).map(({ start, end, value }) => ({ start, end, tag: value }))
  const cashtags = spans(text, /\$([A-Za-z]{1,6})\b/g).map(({ start, end, value }) => ({ start, end, tag: value }))
  const mentions = spans(text, /@(\w{1,15})/g).flatMap(({ start, end, value }) => {
    const person = accountNamed(value)
    return person === undefined ? [] : [{ start, end, username: person.username, id: person.id }]
  })
  const all = { urls: urlsIn(text, links), hashtags, mentions, cashtags }
  const present = Object.entries(all).filter(([, list]) => list.length > 0)
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

export const mentionedIn = (text: string): ReadonlyArray<string> =>
  spans(text, /@(\w{1,15})/g).map(({ value }) => value)
