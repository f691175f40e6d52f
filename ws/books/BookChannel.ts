import { Clock, Effect, Option } from "effect"
import { followChanges } from "#src/books/followChanges.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { streamOf } from "#src/streams/protocol/streamTypes.ts"
import type { Channel, Publisher, Subscriber } from "../channel/Channel.ts"
import { keepOrRefuse } from "../channel/keepOrRefuse.ts"
import { warning } from "../channel/warnings.ts"
import { BookFollower } from "./BookFollower.ts"
import { BookReplicas } from "./BookReplicas.ts"
import { type BookRequest, canonicalToken, groupNames, readBookRequest, resolveBooks } from "./bookRequest.ts"
import { maintainReplicas } from "./maintainReplicas.ts"

/** What a followed book costs a connection, besides the book, which all share. */
const bookBytes = 500
const keptName = "books"

const tooManyRuns = {
  code: "too_many_messages",
  message: "snapshots of earlier messages are still waiting to be read: read them first",
  retryAfterMillis: 1_000,
} as const

const pendingText = "not available yet, each will be sent in its own snapshot_batch:"

const coverageReason =
  "* covers the books that Presage follows: those of the markets with the most volume of 24 hours (setting books.top), and those that somebody named. Name others in token_ids or markets."

/** Order books: snapshots first, then changes. All order books of a socket are one subscription. */
export const makeBookChannel = Effect.fnUntraced(function* (publisher: Publisher) {
  const lookup = yield* MarketLookup
  const replicas = yield* BookReplicas.make
  const followers = new Map<Subscriber, BookFollower>()
  const openAllBooks = yield* maintainReplicas(replicas, lookup, publisher, (now) => {
    for (const follower of followers.values()) follower.flushed(now)
  })
  yield* Effect.forkScoped(yield* followChanges(replicas))

  const followerOf = (subscriber: Subscriber): BookFollower => {
    const follower = followers.get(subscriber) ?? new BookFollower(subscriber, replicas)
    followers.set(subscriber, follower)
    return follower
  }

  /** How many of the open markets a firehose covers now. Without Postgres, their number is unknown. */
  const coverage = Effect.map(Effect.option(lookup.openMarkets), (open) => ({
    markets: new Set([...replicas.all].map(({ names }) => names.condition ?? names.token)).size,
    open_markets: Option.getOrNull(open),
    reason: coverageReason,
  }))

  /** Adds books to the subscription, or replaces its books. */
  const follow = Effect.fnUntraced(function* (
    subscriber: Subscriber,
    request: BookRequest,
    replaces: boolean,
    type: "subscribed" | "updated",
  ) {
    const { books, resolvedFrom, warnings } = yield* resolveBooks(
      lookup,
      request,
      (token) => replicas.get(token)?.names,
    )
    if (subscriber.isClosed) return
    const before = followers.get(subscriber)
    if (before?.hasRoomForRuns === false) return yield* new Refusal(tooManyRuns)
    yield* keepOrRefuse(subscriber, keptName, (books.size + (replaces ? 0 : (before?.size ?? 0))) * bookBytes)
    const follower = followerOf(subscriber)
    if (replaces && !request.isAll) follower.closeFirehose()
    if (request.isAll) follower.openFirehose()
    follower.add(books.values())
    if (replaces) follower.keepOnly(books)
    if (request.isAll) yield* openAllBooks
    yield* replicas.request("new")
    yield* replicas.read
    const covered = follower.isFirehose ? { firehose: true, coverage: yield* coverage } : {}
    if (subscriber.isClosed) return
    const tokens = request.isAll ? [...replicas.all].map(({ names }) => names.token) : [...books.keys()]
    const missing = tokens.filter((token) => replicas.get(token)?.isReady !== true)
    subscriber.send({
      type,
      subscriber_id: subscriber.id,
      subscription_id: follower.subscriptionId,
      subscription_type: "orderbook",
      ...covered,
      markets: follower.isFirehose ? tokens.length : follower.size,
      resolved_from: resolvedFrom,
      warnings: [...warnings, ...warning("books_pending", pendingText, missing)],
    })
    follower.sendSnapshots(tokens)
  })

  const channel: Channel = {
    subscribe: (subscriber, message) =>
      Effect.flatMap(readBookRequest(message), (request) =>
        follow(subscriber, request, message.markets !== undefined, "subscribed"),
      ),

    update: Effect.fnUntraced(function* (subscriber, id, filters) {
      if (followers.get(subscriber)?.subscriptionId !== id) return false
      yield* follow(subscriber, yield* readBookRequest({ filters }), true, "updated")
      return true
    }),

    unsubscribe: (subscriber, { subscription_id, token_ids, markets, type }) => {
      const follower = followers.get(subscriber)
      const isOurs = subscription_id === undefined || subscription_id === follower?.subscriptionId
      if (follower === undefined || !isOurs || (type !== undefined && streamOf(type) !== "orderbook")) return []
      if (token_ids === undefined && markets === undefined) follower.dropAll()
      else follower.dropNamed(groupNames([...(token_ids ?? []), ...(markets ?? [])]))
      subscriber.kept.keep(keptName, follower.size * bookBytes)
      if (!follower.isEmpty) return []
      followers.delete(subscriber)
      return [follower.subscriptionId]
    },

    resync: Effect.fnUntraced(function* (subscriber, { token_ids }) {
      const follower = followers.get(subscriber)
      const tokens = [...new Set(token_ids.map(canonicalToken))].filter((token) => follower?.follows(token))
      if (follower === undefined || tokens.length === 0) {
        const message = "you are not subscribed to any of these order books"
        return yield* new Refusal({ code: "unknown_subscription", message })
      }
      const wait = follower.tryResync(yield* Clock.currentTimeMillis)
      if (wait > 0) {
        const message = "too many resyncs: at most 10 in 10 seconds; one resync may name any number of tokens"
        return yield* new Refusal({ code: "resync_limit", message, retryAfterMillis: wait })
      }
      follower.sendSnapshots(tokens)
    }),

    pause: (subscriber) => followers.get(subscriber)?.pause(),
    readable: (subscriber) => followers.get(subscriber)?.resume(),
    left: (subscriber) => {
      followers.get(subscriber)?.dropAll()
      followers.delete(subscriber)
    },
    sourcesOf: (subscriber) => (followers.get(subscriber)?.isEmpty === false ? ["books"] : []),
  }
  return channel
})
