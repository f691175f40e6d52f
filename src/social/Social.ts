import { createHash } from "node:crypto"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { LoadTimeout } from "#src/caching/model.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { XPage, XPost, XUser } from "#src/upstream/x/model.ts"
import { type NotReadable, X, type XFailure } from "#src/upstream/x/X.ts"
import { failureOf } from "./failures.ts"
import { SocialFailed, type SocialFindings } from "./model.ts"
import { presentPost } from "./present.ts"
import type { Count, CountBound, SocialQuery } from "./query/model.ts"
import { ReadBudget } from "./ReadBudget.ts"
import { rangeOf } from "./range.ts"
import { socialReach } from "./settings.ts"

export const maxPosts = 50

/** Equal requests within this time share one call. */
const sharedMillis = 60_000
/** An account keeps its id when it changes its name, so this only delays a name that moves to another account. */
const userMillis = 3_600_000
export const budgetMillis = 40_000

/** A page of X has 10 to 100 posts, 5 to 100 on a timeline. */
const minPage = { search: 10, timeline: 5 }
const maxPage = 100
/** Pages read for a query that is filtered here. */
const maxPages = 3
/** Posts that a page refers to count as read too. */
const readOf = (max: number) => 2 * max

const maxQuery = { recent: 512, all: 1_024 }

const countOf = ({ metrics }: XPost, count: Count) => metrics[count]

const passes =
  (bounds: ReadonlyArray<CountBound>) =>
  (post: XPost): boolean =>
    bounds.every(({ count, value, isBelow }) => countOf(post, count) >= value !== isBelow)

/** Ids grow with time. */
const newestFirst = (a: XPost, b: XPost) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1)

/** A hash, because names of answers are logged. */
const keyOf = (parts: ReadonlyArray<unknown>) => createHash("sha256").update(JSON.stringify(parts)).digest("base64url")

interface FoundTimeline extends SocialFindings {
  /** As the account spells it. */
  readonly handle: string
}

/** Posts of X. Callers charge one unit of `socialUnits` for each answer; equal ones share a call to X. */
export class Social extends Context.Service<
  Social,
  {
    /** The newest posts that match, at most `max` of 1 to 50. */
    readonly search: (query: SocialQuery, max: number) => Effect.Effect<SocialFindings, SocialFailed>
    /** The newest posts of an account, by its handle without @ in any case. */
    readonly timeline: (handle: string, max: number) => Effect.Effect<FoundTimeline, SocialFailed>
  }
>()("presage/social/Social") {
  static readonly layer = Layer.effect(
    Social,
    Effect.suspend(() => make),
  ).pipe(Layer.provide(ReadBudget.layer))
}

const make = Effect.gen(function* () {
  const config = yield* Configuration
  const cache = yield* AnswerCache
  const x = yield* X
  const budget = yield* ReadBudget

  const failing = <A, E extends XFailure | NotReadable | SocialFailed>(work: Effect.Effect<A, E>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.mapError(work, failureOf(now)))

  /** One call for equal requests of any account. */
  const shared = <A>(name: string, key: ReadonlyArray<unknown>, millis: number, load: Effect.Effect<A, SocialFailed>) =>
    cache
      .get({
        name,
        key: keyOf(key),
        load: Effect.map(load, (value) => ({ value })),
        freshFor: millis,
        staleFor: 0,
        // Its life ends with the first request for it; a copy fetched ahead of time would be a second call.
        until: (startedAt) => startedAt + millis,
        budget: budgetMillis,
        isOutage: (failure: SocialFailed) => failure.isOutage,
      })
      .pipe(
        Effect.map(({ answer }) => JSON.parse(answer.bytes.toString()) as A),
        Effect.catchIf(
          (failure) => failure instanceof LoadTimeout,
          ({ message }) => Effect.fail(new SocialFailed({ kind: "down", detail: message })),
        ),
      )

  /** Pages until enough posts pass the filter. Those that were paid for are returned when the budget ends. */
  const collect = Effect.fnUntraced(function* (
    pages: number,
    max: number,
    passing: (post: XPost) => boolean,
    read: (next: string | undefined) => Effect.Effect<XPage, SocialFailed>,
  ) {
    const found: Array<XPost> = []
    let next: string | undefined
    for (let page = 0; page < pages && found.length < max; page++) {
      const ended = (failure: SocialFailed) =>
        page > 0 && failure.kind === "budget" ? Effect.undefined : Effect.fail(failure)
      const answer: XPage | undefined = yield* Effect.catch(read(next), ended)
      if (answer === undefined) break
      found.push(...answer.posts.filter(passing))
      next = answer.next
      if (next === undefined) break
    }
    const findings: SocialFindings = {
      posts: found.sort(newestFirst).slice(0, max).map(presentPost),
      hasMore: next !== undefined || found.length > max,
      fetchedAt: yield* Clock.currentTimeMillis,
    }
    return findings
  })

  const fetchSearch = Effect.fn("Social.search")(function* (query: SocialQuery, max: number) {
    const reach = config.get(socialReach)
    const length = [...query.query].length
    if (length > maxQuery[reach]) {
      const detail = `the query has ${length} characters in the terms of X, which takes ${maxQuery[reach]}`
      return yield* new SocialFailed({ kind: "query", detail, hint: "Ask for less at once." })
    }
    const { start, end, isCut } = yield* rangeOf(query, reach, yield* Clock.currentTimeMillis)
    const isFiltered = query.bounds.length > 0
    const size = isFiltered ? maxPage : Math.max(minPage.search, max)
    const findings = yield* collect(isFiltered ? maxPages : 1, max, passes(query.bounds), (next) =>
      failing(budget.spend(readOf(size), x.search({ query: query.query, reach, start, end, max: size, next }))),
    )
    return { ...findings, hasMore: findings.hasMore || isCut }
  })

  const userOf = (handle: string) =>
    shared<XUser>(
      "social-user",
      [handle.toLowerCase()],
      userMillis,
      Effect.flatMap(failing(x.user(handle)), (user) =>
        Option.isSome(user)
          ? Effect.succeed(user.value)
          : Effect.fail(new SocialFailed({ kind: "no-account", detail: "no such account" })),
      ),
    )

  const fetchTimeline = Effect.fn("Social.timeline")(function* (handle: string, max: number) {
    const { id, username } = yield* userOf(handle)
    const size = Math.max(minPage.timeline, max)
    const findings = yield* collect(
      1,
      max,
      () => true,
      () => failing(budget.spend(readOf(size), x.timeline(id, size))),
    )
    return { ...findings, handle: username }
  })

  return Social.of({
    search: (query, max) => shared("social-search", [query, max], sharedMillis, fetchSearch(query, max)),
    timeline: (handle, max) =>
      shared("social-timeline", [handle.toLowerCase(), max], sharedMillis, fetchTimeline(handle, max)),
  })
})
