import { Clock, Effect } from "effect"
import { followChanges } from "#src/books/followChanges.ts"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { streamOf } from "#src/streams/protocol/types.ts"
import type { Channel, Listener, Publisher } from "../Listener.ts"
import { warning } from "../warning.ts"
import { type Asked, askedIn, askedInFilters, find, plainToken, sorted } from "./asked.ts"
import { keepLibrary } from "./keepLibrary.ts"
import { Library } from "./Library.ts"
import { Seat } from "./Seat.ts"

const pending = "not there yet, each comes as a snapshot_batch of its own as soon as it is:"

/** Order books: whole ones first, then what changes in them. All that a socket listens to is one subscription. */
export const makeBookChannel = Effect.fnUntraced(function* (publisher: Publisher) {
  const lookup = yield* MarketLookup
  const library = yield* Library.make
  const seats = new Map<Listener, Seat>()
  const firehose = yield* keepLibrary(library, lookup, publisher)
  yield* Effect.forkScoped(yield* followChanges(library))

  const seatOf = (listener: Listener): Seat => {
    const seat = seats.get(listener) ?? new Seat(listener, library)
    seats.set(listener, seat)
    return seat
  }

  /** These, in addition to or instead of those before. */
  const listen = Effect.fnUntraced(function* (
    listener: Listener,
    asked: Asked,
    isInstead: boolean,
    type: "subscribed" | "updated",
  ) {
    const { books, resolvedFrom, warnings } = yield* find(lookup, asked, (token) => library.get(token)?.names)
    if (listener.isGone) return
    const seat = seatOf(listener)
    if (isInstead && !asked.isAll) seat.closeFirehose()
    if (asked.isAll) seat.openFirehose()
    seat.add(books.values())
    if (isInstead) seat.keepOnly(books)
    if (asked.isAll) yield* firehose
    yield* library.want("new")
    yield* library.read
    if (listener.isGone) return
    const tokens = asked.isAll ? [...library.replicas].map(({ names }) => names.token) : [...books.keys()]
    const notThere = tokens.filter((token) => library.get(token)?.isReady !== true)
    listener.send({
      type,
      subscriber_id: listener.id,
      subscription_id: seat.subscriptionId,
      subscription_type: "orderbook",
      ...(seat.isFirehose ? { firehose: true } : {}),
      markets: seat.isFirehose ? tokens.length : seat.size,
      resolved_from: resolvedFrom,
      warnings: [...warnings, ...warning("books_pending", pending, notThere)],
    })
    seat.sendWhole(tokens)
  })

  const channel: Channel = {
    subscribe: (listener, message) =>
      Effect.flatMap(askedIn(message), (asked) => listen(listener, asked, message.markets !== undefined, "subscribed")),

    update: Effect.fnUntraced(function* (listener, id, filters) {
      if (seats.get(listener)?.subscriptionId !== id) return false
      yield* listen(listener, yield* askedInFilters(filters), true, "updated")
      return true
    }),

    unsubscribe: (listener, { subscription_id, token_ids, markets, type }) => {
      const seat = seats.get(listener)
      const isOurs = subscription_id === undefined || subscription_id === seat?.subscriptionId
      if (seat === undefined || !isOurs || (type !== undefined && streamOf(type) !== "orderbook")) return []
      if (token_ids === undefined && markets === undefined) seat.dropAll()
      else seat.dropNamed(sorted([...(token_ids ?? []), ...(markets ?? [])]))
      if (!seat.isEmpty) return []
      seats.delete(listener)
      return [seat.subscriptionId]
    },

    resync: Effect.fnUntraced(function* (listener, { token_ids }) {
      const seat = seats.get(listener)
      const tokens = [...new Set(token_ids.map(plainToken))].filter((token) => seat?.hears(token))
      if (seat === undefined || tokens.length === 0) {
        const message = "you listen to none of these order books: subscribe to them"
        return yield* new Refusal({ code: "unknown_subscription", message })
      }
      const wait = seat.tryResync(yield* Clock.currentTimeMillis)
      if (wait > 0) {
        const message = "too many resyncs: at most 10 in 10 seconds, each for as many tokens as you like"
        return yield* new Refusal({ code: "resync_limit", message, retryAfterMillis: wait })
      }
      seat.sendWhole(tokens)
    }),

    pause: (listener) => seats.get(listener)?.pause(),
    readable: (listener) => seats.get(listener)?.go(),
    left: (listener) => {
      seats.get(listener)?.dropAll()
      seats.delete(listener)
    },
    sourcesOf: (listener) => (seats.get(listener)?.isEmpty === false ? ["books"] : []),
  }
  return channel
})
