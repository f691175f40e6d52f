import { hash, seedOf } from "../random.ts"
import type { Account } from "./accounts.ts"
import { finalLikes } from "./metrics.ts"
import type { Post, PostKind } from "./Post.ts"
import type { Posts } from "./Posts.ts"
import type { Parameters } from "./parameters.ts"
import { invalid, invalidValue } from "./problems.ts"
import type { PostFilter } from "./query/operators.ts"
import { parseQuery } from "./query/parse.ts"
import { rejectMixedBounds, type SearchSpan, spanOf } from "./span.ts"

/** Where a list continues: a slot and the number of posts seen. */
interface PageCursor {
  readonly slot: number
  readonly seen: number
}

const seed = seedOf(0, "paging tokens")
const pattern = /^([0-9a-z]{1,9})x([0-9a-f]{4,12})y([0-9a-z]{1,7})$/

const checksumOf = ({ slot, seen }: PageCursor) => hash(seed, slot, seen).toString(16).padStart(8, "0")

const encodePageToken = (cursor: PageCursor): string =>
  `${cursor.slot.toString(36)}x${checksumOf(cursor)}y${cursor.seen.toString(36)}`

/** Accepts only tokens issued by this service. */
const decodePageToken = (name: string, token: string): PageCursor => {
  const [, slot = "", checksum, seen = ""] = pattern.exec(token) ?? []
  const cursor = { slot: Number.parseInt(slot, 36), seen: Number.parseInt(seen, 36) }
  if (checksum === undefined || checksum !== checksumOf(cursor))
    throw invalidValue(name, token, "is not a valid pagination token")
  return cursor
}

export interface PostPage {
  readonly posts: ReadonlyArray<Post>
  readonly next: string | undefined
}

const week = 7 * 86_400_000

/** A page ends early with a token for the rest after this many slots, about a week. */
const maxSlots = 76_000

/** How many of the newest matches are sorted by relevance. */
const maxRelevant = 500

const scan = (posts: Posts, { newest, oldest, contains }: SearchSpan, filter: PostFilter, limit: number) => {
  const found: Array<Post> = []
  const last = Math.max(oldest, newest - maxSlots)
  for (let slot = newest; slot >= last; slot--) {
    const post = posts.at(slot)
    if (!contains(post) || !filter(post)) continue
    if (found.length === limit) return { found, next: slot }
    found.push(post)
  }
  return { found, next: last > oldest ? last - 1 : undefined }
}

const byRecency = (
  posts: Posts,
  span: SearchSpan,
  filter: PostFilter,
  limit: number,
  token: string | undefined,
): PostPage => {
  const newest = token === undefined ? span.newest : Math.min(span.newest, decodePageToken("next_token", token).slot)
  const { found, next } = scan(posts, { ...span, newest }, filter, limit)
  return { posts: found, next: next === undefined ? undefined : encodePageToken({ slot: next, seen: 0 }) }
}

/** Further pages use the same matches, ignoring newer posts. */
const byRelevance = (
  posts: Posts,
  span: SearchSpan,
  filter: PostFilter,
  limit: number,
  token: string | undefined,
): PostPage => {
  const { slot, seen } = token === undefined ? { slot: span.newest, seen: 0 } : decodePageToken("next_token", token)
  const { found } = scan(posts, { ...span, newest: Math.min(slot, span.newest) }, filter, maxRelevant)
  const ordered = found.toSorted((a, b) => finalLikes(b) - finalLikes(a) || b.slot - a.slot)
  const end = seen + limit
  return {
    posts: ordered.slice(seen, end),
    next: end < ordered.length ? encodePageToken({ slot, seen: end }) : undefined,
  }
}

const queryOf = (parameters: Parameters, maxLength: number): string => {
  const query = parameters.text("query") ?? ""
  if (query.trim() === "") throw invalid({ query: [query] }, "The `query` query parameter can not be empty")
  if ([...query].length > maxLength) {
    throw invalid({ query: [query] }, `The \`query\` query parameter length must be between 1 and ${maxLength}`)
  }
  return query
}

/** Posts that match a query, of the last week or of all time. */
export const search = (posts: Posts, parameters: Parameters, reach: "recent" | "all"): PostPage => {
  const isRecent = reach === "recent"
  const filter = parseQuery(queryOf(parameters, isRecent ? 512 : 1024))
  rejectMixedBounds(parameters)
  const span = spanOf(parameters, posts, isRecent ? posts.now - week : undefined)
  const limit = parameters.integer("max_results", 10, 100, 10)
  const token = parameters.text("next_token")
  const order = parameters.oneOf("sort_order", ["recency", "relevancy"]) === "relevancy" ? byRelevance : byRecency
  return order(posts, span, filter, limit, token)
}

/** Only this many of the newest posts of an account are available. */
const maxReachable = 3_200

const excluded: Readonly<Record<string, PostKind>> = { retweets: "retweet", replies: "reply" }

/** The newest posts of one account. */
export const timeline = (posts: Posts, parameters: Parameters, account: Account): PostPage => {
  const span = spanOf(parameters, posts, undefined)
  const limit = parameters.integer("max_results", 5, 100, 10)
  const without = parameters.choices("exclude").map((name) => excluded[name])
  const token = parameters.text("pagination_token")
  const from = token === undefined ? { slot: span.newest, seen: 0 } : decodePageToken("pagination_token", token)
  const found: Array<Post> = []
  let { seen } = from
  for (let slot = Math.min(from.slot, span.newest); slot >= span.oldest && seen < maxReachable; slot--) {
    // The author is known without generating the post.
    if (posts.authorOf(slot) !== account) continue
    const post = posts.at(slot)
    if (!span.contains(post)) continue
    if (found.length === limit) return { posts: found, next: encodePageToken({ slot, seen }) }
    seen += 1
    if (!without.includes(post.kind)) found.push(post)
  }
  return { posts: found, next: undefined }
}
