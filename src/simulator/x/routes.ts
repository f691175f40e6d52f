import { accountById, accountByUsername } from "./accounts.ts"
import type { Posts } from "./Posts.ts"
import { Parameters, selectionOf } from "./parameters.ts"
import { includesOf, tweetJson, userJson } from "./present.ts"
import { invalidValue, unknownUser } from "./problems.ts"
import { type PostPage, search, timeline } from "./search.ts"

/** An API route; `key` is the matched path segment. */
export interface Route {
  readonly name: string
  readonly pattern: RegExp
  /** Requests per 15 minutes. */
  readonly limit: number
  readonly handle: (posts: Posts, params: URLSearchParams, key: string) => object
}

const fieldNames = ["tweet.fields", "expansions", "media.fields", "place.fields", "poll.fields", "user.fields"]
const spanNames = ["start_time", "end_time", "since_id", "until_id", "max_results"]
const searchNames = ["query", "next_token", "sort_order", ...spanNames, ...fieldNames]
const timelineNames = ["exclude", "pagination_token", ...spanNames, ...fieldNames]
const userNames = ["user.fields", "expansions", "tweet.fields"]

const pageJson = (posts: Posts, parameters: Parameters, page: () => PostPage) => {
  const selection = selectionOf((name) => parameters.choices(name))
  const { posts: found, next } = page()
  const { now } = posts
  const byTime = found.toSorted((a, b) => b.slot - a.slot)
  return {
    data: found.length === 0 ? undefined : found.map((post) => tweetJson(post, selection, now)),
    includes: includesOf(found, selection, now),
    meta: {
      newest_id: byTime[0]?.id,
      oldest_id: byTime.at(-1)?.id,
      result_count: found.length,
      next_token: next,
    },
  }
}

const searchRoute = (reach: "recent" | "all", limit: number): Route => ({
  name: `search/${reach}`,
  pattern: new RegExp(`^/2/tweets/search/${reach}$`),
  limit,
  handle: (posts, params) => {
    const parameters = new Parameters(params, searchNames)
    return pageJson(posts, parameters, () => search(posts, parameters, reach))
  },
})

export const routes: ReadonlyArray<Route> = [
  searchRoute("recent", 450),
  searchRoute("all", 300),
  {
    name: "users/by/username",
    pattern: /^\/2\/users\/by\/username\/([^/]+)$/,
    limit: 300,
    handle: (_, params, username) => {
      const selection = selectionOf((name) => new Parameters(params, userNames).choices(name))
      if (!/^[A-Za-z0-9_]{1,15}$/.test(username)) {
        throw invalidValue("username", username, "does not match ^[A-Za-z0-9_]{1,15}$")
      }
      const account = accountByUsername(username)
      return account === undefined ? unknownUser("username", username) : { data: userJson(account, selection) }
    },
  },
  {
    name: "users/tweets",
    pattern: /^\/2\/users\/([^/]+)\/tweets$/,
    limit: 1_500,
    handle: (posts, params, id) => {
      const parameters = new Parameters(params, timelineNames)
      if (!/^\d{1,19}$/.test(id)) throw invalidValue("id", id, "does not match ^[0-9]{1,19}$")
      const account = accountById(id)
      if (account === undefined) return unknownUser("id", id)
      return pageJson(posts, parameters, () => timeline(posts, parameters, account))
    },
  },
]
