import type { Account } from "./accounts.ts"
import type { Post, PostKind } from "./Post.ts"
import type { Posts } from "./Posts.ts"
import { placeOf, tokenOf } from "./paging.ts"
import type { Parameters } from "./parameters.ts"
import type { Page } from "./search.ts"
import { spanOf } from "./span.ts"

/** Only this many of the latest posts of an account can be reached. */
const mostReachable = 3_200

const excluded: Readonly<Record<string, PostKind>> = { retweets: "retweet", replies: "reply" }

/** The newest posts of one account. */
export const timeline = (posts: Posts, parameters: Parameters, account: Account): Page => {
  const span = spanOf(parameters, posts, undefined)
  const limit = parameters.between("max_results", 5, 100, 10)
  const without = parameters.choices("exclude").map((name) => excluded[name])
  const token = parameters.text("pagination_token")
  const from = token === undefined ? { slot: span.newest, seen: 0 } : placeOf("pagination_token", token)
  const found: Array<Post> = []
  let { seen } = from
  for (let slot = Math.min(from.slot, span.newest); slot >= span.oldest && seen < mostReachable; slot--) {
    // Who wrote a post is known without making it.
    if (posts.authorOf(slot) !== account) continue
    const post = posts.at(slot)
    if (!span.holds(post)) continue
    if (found.length === limit) return { posts: found, next: tokenOf({ slot, seen }) }
    seen += 1
    if (!without.includes(post.kind)) found.push(post)
  }
  return { posts: found, next: undefined }
}
