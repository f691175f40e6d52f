import type { Millis } from "../world/model.ts"
import type { Post } from "./Post.ts"

/** After this time a post has half of its final counts. */
const halfLife = 7_200_000

/** The number of likes a post approaches. */
export const finalLikes = (post: Post): number => {
  const roll = post.roll(8) % 100
  return Math.floor((post.author.followers * roll * roll * roll) / 100_000_000)
}

const countAt = (final: number, age: Millis) => Math.floor((final * age) / (age + halfLife))

/** The public metrics of a post at a time. */
export const metricsOf = (post: Post, now: Millis): Readonly<Record<string, number>> => {
  const { reference } = post
  if (post.kind === "retweet" && reference !== undefined) {
    const repeated = metricsOf(reference, now)["retweet_count"] ?? 0
    return metrics(repeated, 0, 0, 0, 0, 0)
  }
  const likes = countAt(finalLikes(post), Math.max(0, now - post.at))
  const share = (purpose: number, divisor: number) => Math.floor(likes / (divisor + (post.roll(purpose) % divisor)))
  const impressions =
    likes * (20 + (post.roll(9) % 60)) + countAt(post.author.followers >> 3, Math.max(0, now - post.at))
  return metrics(share(10, 4), share(11, 8), likes, share(12, 20), share(13, 12), impressions)
}

const metrics = (
  retweets: number,
  replies: number,
  likes: number,
  quotes: number,
  bookmarks: number,
  impressions: number,
) => ({
  retweet_count: retweets,
  reply_count: replies,
  like_count: likes,
  quote_count: quotes,
  bookmark_count: bookmarks,
  impression_count: impressions,
})
