import { Clock, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { skip } from "../undecodable.ts"
import { decodePage } from "./decode.ts"
import type { XPage, XSearch, XUser } from "./model.ts"
import { isInvalidRequest, WireFoundUser, WirePage } from "./wire.ts"

/** No bearer token is configured. */
export class NoToken extends Schema.TaggedError<NoToken>()("NoToken", {}) {}

/** X does not accept the query. */
export class InvalidQuery extends Schema.TaggedError<InvalidQuery>()("InvalidQuery", { reason: Schema.String }) {}

/** The posts of this account cannot be read: it is protected or suspended. */
export class NotReadable extends Schema.TaggedError<NotReadable>()("NotReadable", {}) {}

export type XFailure = UpstreamFailure | NoToken | InvalidQuery

type Parameters = Readonly<Record<string, string | number | undefined>>

/** Fields of every list of posts. */
const fields: Parameters = {
  "tweet.fields":
    "created_at,author_id,conversation_id,public_metrics,entities,referenced_tweets,attachments,note_tweet,article",
  expansions:
    "author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys,referenced_tweets.id.attachments.media_keys,article.cover_media",
  "user.fields": "id,name,username",
  "media.fields": "media_key,type,url,preview_image_url,variants",
}

const iso = (millis: number | undefined) => (millis === undefined ? undefined : new Date(millis).toISOString())

const resetOf = (failure: UpstreamFailure, now: number): number =>
  now + (failure.retryAfter === undefined ? 60_000 : Duration.toMillis(failure.retryAfter))

/** X API v2, for reading. Asked once: somebody waits for it, and posts that were read cost money. */
export class X extends Context.Service<
  X,
  {
    /** Newest first. */
    readonly search: (search: XSearch) => Effect.Effect<XPage, XFailure>
    /** None if there is no such account. */
    readonly user: (username: string) => Effect.Effect<Option.Option<XUser>, XFailure | NotReadable>
    /** The newest posts of an account, 5 to 100. */
    readonly timeline: (userId: string, max: number) => Effect.Effect<XPage, XFailure | NotReadable>
  }
>()("presage/upstream/x/X") {
  static readonly layer = Layer.effect(
    X,
    Effect.gen(function* () {
      const http = yield* UpstreamHttp
      const { x, xToken } = yield* Endpoints
      /** When a limited route may be asked again, in milliseconds: X says so, and counts every attempt before. */
      const pausedUntil = new Map<string, number>()

      const get = <
        A extends {
          readonly type?: string | null
          readonly errors?: ReadonlyArray<{ readonly message?: string | null }>
        },
      >(
        route: string,
        path: string,
        parameters: Parameters,
        schema: Schema.Decoder<A>,
      ): Effect.Effect<A, XFailure> =>
        Effect.gen(function* () {
          if (xToken === undefined) return yield* new NoToken()
          const now = yield* Clock.currentTimeMillis
          const pause = (pausedUntil.get(route) ?? 0) - now
          if (pause > 0) {
            const detail = "paused until its limit resets"
            return yield* new UpstreamFailure({
              upstream: "x",
              reason: "rate-limited",
              detail,
              status: 429,
              retryAfter: Duration.millis(pause),
            })
          }
          const given = Object.entries(parameters).flatMap(
            ([name, value]): Array<[string, string]> => (value === undefined ? [] : [[name, String(value)]]),
          )
          const call = http.decoded("x", schema, {
            url: `${x}${path}?${new URLSearchParams(given)}`,
            headers: () => ({ authorization: `Bearer ${Redacted.value(xToken)}` }),
            attempts: 1,
            isResponse: (body) => body.includes("/problems/invalid-request"),
          })
          const answer = yield* Effect.tapError(call, (failure) =>
            Effect.map(Clock.currentTimeMillis, (at) => {
              if (failure.reason === "rate-limited") pausedUntil.set(route, resetOf(failure, at))
            }),
          )
          if (!isInvalidRequest(answer.type)) return answer
          return yield* new InvalidQuery({ reason: answer.errors?.[0]?.message ?? "invalid request" })
        })

      const page = Effect.fnUntraced(function* (wire: typeof WirePage.Type) {
        const { undecodable, ...decoded } = decodePage(wire)
        yield* skip("x", "post", undecodable)
        const rows = wire.data?.length ?? wire.meta?.result_count
        // Not an empty answer: nothing of it could be read.
        if (rows === undefined || (rows > 0 && decoded.posts.length === 0)) {
          return yield* new UpstreamFailure({ upstream: "x", reason: "malformed", detail: "no readable post" })
        }
        return decoded
      })

      const isHidden = (errors: (typeof WireFoundUser.Type)["errors"] = []) =>
        errors.some(({ type, title }) => type?.endsWith("/not-authorized-for-resource") || title === "Forbidden")

      return X.of({
        search: Effect.fn("X.search")(({ query, reach, start, end, max, next }) =>
          get(
            `search/${reach}`,
            `/2/tweets/search/${reach}`,
            { query, start_time: iso(start), end_time: iso(end), max_results: max, next_token: next, ...fields },
            WirePage,
          ).pipe(Effect.flatMap(page)),
        ),
        user: Effect.fn("X.user")((username) =>
          Effect.flatMap(
            get("user", `/2/users/by/username/${encodeURIComponent(username)}`, {}, WireFoundUser),
            ({ data, errors }) =>
              data === undefined && isHidden(errors)
                ? Effect.fail(new NotReadable())
                : Effect.succeed(Option.fromUndefinedOr(data)),
          ),
        ),
        timeline: Effect.fn("X.timeline")((userId, max) =>
          Effect.flatMap(
            get("timeline", `/2/users/${userId}/tweets`, { max_results: max, ...fields }, WirePage),
            (wire): Effect.Effect<XPage, NotReadable | UpstreamFailure> =>
              wire.data === undefined && isHidden(wire.errors) ? Effect.fail(new NotReadable()) : page(wire),
          ),
        ),
      })
    }),
  )
}
