import { appealOf } from "./metrics.ts"
import type { Post } from "./Post.ts"
import type { Posts } from "./Posts.ts"
import { placeOf, tokenOf } from "./paging.ts"
import type { Parameters } from "./parameters.ts"
import { invalid } from "./problems.ts"
import type { Test } from "./query/operators.ts"
import { testOf } from "./query/parse.ts"
import { refuseMixture, type Span, spanOf } from "./span.ts"

export interface Page {
  readonly posts: ReadonlyArray<Post>
  readonly next: string | undefined
}

const week = 7 * 86_400_000

/** A page may end early, with a token for the rest, rather than look at more slots than a week has. */
const mostSlots = 76_000

/** How many of the newest matches are put in order of relevance. */
const mostRelevant = 500

const scan = (posts: Posts, { newest, oldest, holds }: Span, test: Test, limit: number) => {
  const found: Array<Post> = []
  const last = Math.max(oldest, newest - mostSlots)
  for (let slot = newest; slot >= last; slot--) {
    const post = posts.at(slot)
    if (!holds(post) || !test(post)) continue
    if (found.length === limit) return { found, next: slot }
    found.push(post)
  }
  return { found, next: last > oldest ? last - 1 : undefined }
}

const byRecency = (posts: Posts, span: Span, test: Test, limit: number, token: string | undefined): Page => {
  const newest = token === undefined ? span.newest : Math.min(span.newest, placeOf("next_token", token).slot)
  const { found, next } = scan(posts, { ...span, newest }, test, limit)
  return { posts: found, next: next === undefined ? undefined : tokenOf({ slot: next, seen: 0 }) }
}

/** Further pages are of the same matches, although newer ones have come. */
const byRelevance = (posts: Posts, span: Span, test: Test, limit: number, token: string | undefined): Page => {
  const { slot, seen } = token === undefined ? { slot: span.newest, seen: 0 } : placeOf("next_token", token)
  const { found } = scan(posts, { ...span, newest: Math.min(slot, span.newest) }, test, mostRelevant)
  const ordered = found.toSorted((a, b) => appealOf(b) - appealOf(a) || b.slot - a.slot)
  const end = seen + limit
  return {
    posts: ordered.slice(seen, end),
    next: end < ordered.length ? tokenOf({ slot, seen: end }) : undefined,
  }
}

const queryOf = (parameters: Parameters, longest: number): string => {
  const query = parameters.text("query") ?? ""
  if (query.trim() === "") throw invalid({ query: [query] }, "The `query` query parameter can not be empty")
  if ([...query].length > longest) {
    throw invalid({ query: [query] }, `The \`query\` query parameter length must be between 1 and ${longest}`)
  }
  return query
}

/** Posts that a query describes: of the last week, or of all time. */
export const search = (posts: Posts, parameters: Parameters, reach: "recent" | "all"): Page => {
  const isRecent = reach === "recent"
  const test = testOf(queryOf(parameters, isRecent ? 512 : 1024))
  refuseMixture(parameters)
  const span = spanOf(parameters, posts, isRecent ? posts.now - week : undefined)
  const limit = parameters.between("max_results", 10, 100, 10)
  const token = parameters.text("next_token")
  const order = parameters.oneOf("sort_order", ["recency", "relevancy"]) === "relevancy" ? byRelevance : byRecency
  return order(posts, span, test, limit, token)
}
