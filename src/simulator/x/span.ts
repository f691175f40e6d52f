import type { Millis } from "../world/model.ts"
import type { Post } from "./Post.ts"
import { type Posts, slotAt } from "./Posts.ts"
import type { Parameters } from "./parameters.ts"
import { invalid } from "./problems.ts"
import { isAfter, type Snowflake } from "./snowflake.ts"

/** The time range of a search. */
export interface SearchSpan {
  /** Slots, inclusive. */
  readonly newest: number
  readonly oldest: number
  readonly contains: (post: Post) => boolean
}

const searchDelay = 10_000

const startOf = (parameters: Parameters, earliest: Millis | undefined): Millis | undefined => {
  const start = parameters.time("start_time")
  if (start === undefined || earliest === undefined || start >= earliest) return start
  const text = parameters.text("start_time") ?? ""
  throw invalid(
    { start_time: [text] },
    `Invalid 'start_time':'${text}'. 'start_time' must be on or after ${new Date(earliest).toISOString()}. Please use a 'start_time' that is on or after it`,
  )
}

const endOf = (parameters: Parameters, start: Millis | undefined, now: Millis): Millis | undefined => {
  const end = parameters.time("end_time")
  const text = parameters.text("end_time") ?? ""
  if (end !== undefined && end > now - searchDelay) {
    throw invalid(
      { end_time: [text] },
      `Invalid 'end_time':'${text}'. 'end_time' must be a minimum of 10 seconds prior to the request time.`,
    )
  }
  if (start !== undefined && start >= (end ?? now)) {
    throw invalid(
      { start_time: [parameters.text("start_time") ?? ""] },
      "Invalid 'start_time'. 'start_time' must be before 'end_time'.",
    )
  }
  return end
}

const idBound = (parameters: Parameters, name: "since_id" | "until_id", earliest: Millis | undefined) => {
  const snowflake = parameters.tweetId(name)
  if (snowflake === undefined || earliest === undefined || snowflake.at >= earliest) return snowflake
  throw invalid(
    { [name]: [parameters.text(name) ?? ""] },
    `'${name}' must be a tweet id created after [${new Date(earliest).toISOString()}]. Please use a '${name}' that is larger`,
  )
}

const latestOf = (...moments: ReadonlyArray<Millis | undefined>) =>
  Math.max(...moments.map((each) => each ?? Number.NEGATIVE_INFINITY))
const earliestOf = (...moments: ReadonlyArray<Millis | undefined>) =>
  Math.min(...moments.map((each) => each ?? Number.POSITIVE_INFINITY))

/** Built from the four bounds, none of which may be before `earliest`. */
export const spanOf = (parameters: Parameters, posts: Posts, earliest: Millis | undefined): SearchSpan => {
  const { now, first } = posts
  const start = startOf(parameters, earliest)
  const end = endOf(parameters, start, now)
  const since = idBound(parameters, "since_id", earliest)
  const until = idBound(parameters, "until_id", earliest)
  const from = latestOf(earliest, start)
  return {
    newest: slotAt(earliestOf(now, end, until?.at)),
    oldest: Math.max(first, slotAt(latestOf(from, since?.at))),
    contains: (post) =>
      post.at <= now && post.at >= from && (end === undefined || post.at < end) && isBetween(post, since, until),
  }
}

const isBetween = (post: Snowflake, since: Snowflake | undefined, until: Snowflake | undefined) =>
  (since === undefined || isAfter(post, since)) && (until === undefined || isAfter(until, post))

/** A search accepts times or ids, not both. */
export const rejectMixedBounds = (parameters: Parameters): void => {
  const given = ["since_id", "until_id", "start_time", "end_time"].filter((each) => parameters.text(each) !== undefined)
  const isMixed = given.some((each) => each.endsWith("_id")) && given.some((each) => each.endsWith("_time"))
  if (!isMixed) return
  throw invalid(
    Object.fromEntries(given.map((each) => [each, [parameters.text(each) ?? ""]])),
    "Invalid use of 'since_id' or 'until_id' in conjunction with 'start_time' or 'end_time'.",
  )
}
