import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import { monthAt } from "#src/limits/Quota.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe, retryTransient } from "#src/platform/sql/sqlFailure.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import type { XPage } from "#src/upstream/x/model.ts"
import { SocialFailed } from "./model.ts"
import { postsPerMonth } from "./settings.ts"

/** Whether X may have counted posts as read although no answer came. */
const mayHaveRead = (failure: unknown): boolean => {
  const { _tag, reason } = failure as Partial<UpstreamFailure>
  return _tag === "UpstreamFailure" && (reason === "timeout" || reason === "malformed" || reason === "too-large")
}

const unavailable = (error: unknown) =>
  new SocialFailed({ kind: "down", detail: `posts read from X cannot be counted: ${describe(error)}` })

/** What may be read from X in a UTC month, over all accounts and processes. */
export class ReadBudget extends Context.Service<
  ReadBudget,
  {
    /**
     * Charges all posts that the call may read before it is made, and afterwards those that it did read. What an
     * interrupted or unreadable answer contained is not known, so its posts stay charged.
     */
    readonly spend: <E>(maxPosts: number, call: Effect.Effect<XPage, E>) => Effect.Effect<XPage, E | SocialFailed>
  }
>()("presage/social/ReadBudget") {
  static readonly layer = Layer.effect(
    ReadBudget,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { sql } = yield* Postgres

      const charge = Effect.fnUntraced(function* (posts: number) {
        const { month, resetAt } = monthAt(yield* Clock.currentTimeMillis)
        const limit = config.get(postsPerMonth)
        const charged = yield* Effect.mapError(
          sql`
            insert into social_read_month as m (month, posts)
            select ${month}::date, ${posts}::bigint where ${posts}::bigint <= ${limit}::bigint
            on conflict (month) do update set posts = m.posts + excluded.posts
            where m.posts + excluded.posts <= ${limit}::bigint
            returning posts`,
          unavailable,
        )
        if (charged.length > 0) return month
        const detail = `the ${limit} posts that this instance reads from X in a month are used (${postsPerMonth.name})`
        return yield* new SocialFailed({ kind: "budget", detail, resetAt })
      })

      const giveBack = (month: string, posts: number) =>
        posts <= 0
          ? Effect.void
          : sql`update social_read_month set posts = posts - ${posts}::bigint where month = ${month}::date`.pipe(
              retryTransient("3 seconds"),
              Effect.catch((error) => Effect.logWarning(`${posts} posts too many stay charged: ${describe(error)}`)),
              Effect.asVoid,
            )

      return ReadBudget.of({
        spend: (maxPosts, call) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const month = yield* charge(maxPosts)
              const page = yield* Effect.onError(restore(call), (cause) => {
                const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
                return failure === undefined || mayHaveRead(failure) ? Effect.void : giveBack(month, maxPosts)
              })
              yield* giveBack(month, maxPosts - page.read)
              return page
            }),
          ),
      })
    }),
  )
}
