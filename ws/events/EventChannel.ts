import { Clock, Effect, FiberSet, Schedule } from "effect"
import { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { Feed } from "#src/feed/Feed.ts"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { mostAtOnce } from "#src/mesh/EventTail.ts"
import { followLog } from "#src/mesh/followLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import type { Filters, Subscribe, Unsubscribe } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { isEventStream, streamOf } from "#src/streams/protocol/streamTypes.ts"
import { wsRing } from "#src/streams/settings.ts"
import type { Channel, Publisher, Subscriber } from "../channel/Channel.ts"
import { keepOrRefuse } from "../channel/keepOrRefuse.ts"
import { type CatchUp, catchUpFrom, type EventSubscription, makeTurnScheduler } from "./CatchUp.ts"
import { type AwaitedConfirmations, makeCertainty } from "./certainty.ts"
import { EventFollower, type FollowerContext } from "./EventFollower.ts"
import { readEventRequest, sourcesOf } from "./eventRequest.ts"
import { followCertain } from "./followCertain.ts"
import { filterBytes } from "./keyedFilter.ts"
import { makeLogPages } from "./LogPages.ts"
import { RecentEntries } from "./RecentEntries.ts"
import { makeReplayStarts, type ReplayStart } from "./replay.ts"
import { SubscriberIndex } from "./SubscriberIndex.ts"

/** The filter of a subscription that has no id yet. The messages of a socket are handled one after the other. */
const preparing = "preparing"

export const logUnavailable = () =>
  new Refusal({
    code: "unavailable",
    message: "the event log cannot be read at the moment: try again",
    retryAfterMillis: 2000,
  })

/** These fields may be at the top level or inside `filters`; the top level takes precedence. */
export const mergedFilters = ({ filters = {}, ...message }: Subscribe): Filters => {
  const { confirmations, event_types, snapshot_count, since } = message
  return {
    ...filters,
    ...(event_types === undefined ? {} : { event_types }),
    ...(snapshot_count === undefined ? {} : { snapshot_count }),
    ...(since === undefined ? {} : { since }),
    ...(confirmations === undefined ? {} : { confirmations }),
  }
}

const shownConfirmations = ({ confirmations }: Pick<EventSubscription, "confirmations">) =>
  confirmations === undefined ? {} : { confirmations }

export interface EventChannel extends Channel {
  /** Newest seq known to this gateway. */
  readonly newest: () => number
  /** Time since this gateway last had read the whole log. */
  readonly silentMillis: () => number
  /** All events of a socket's subscriptions up to this seq have been sent. */
  readonly position: (subscriber: Subscriber) => number
  /** Whether the socket has subscriptions in this channel. */
  readonly has: (subscriber: Subscriber) => boolean
}

/** The streams of the event log, at once or after the confirmations that they wait for. */
export const makeEventChannel = Effect.fnUntraced(function* (
  publisher: Publisher,
  confirmations?: AwaitedConfirmations,
) {
  const feed = yield* Feed
  const log = yield* EventLog
  const lookup = yield* MarketLookup
  const config = yield* Configuration
  const run = yield* FiberSet.makeRuntime<never>()
  const certainty = confirmations === undefined ? undefined : (yield* makeCertainty)(confirmations)
  const render = certainty?.render ?? feed.render
  const pages = yield* makeLogPages(({ after, limit }) =>
    Effect.flatMap(log.read({ after: BigInt(after), limit }), render),
  )

  const begun = certainty === undefined ? { seq: Number(yield* log.head), at: 0 } : yield* certainty.start
  const recent = new RecentEntries(config.get(wsRing), begun.seq, begun.at)
  const index = new SubscriberIndex(publisher)
  const followers = new Map<Subscriber, EventFollower>()
  /** Followers waiting for events that this gateway has yet to read. */
  let ahead = new Set<EventFollower>()
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  let upToDateAt = now()
  const replayStartOf = yield* makeReplayStarts(recent, confirmations !== undefined)

  const context: FollowerContext = {
    recent,
    index,
    loadPage: (page, done) => {
      run(Effect.map(Effect.retry(pages(page, recent.floor), Schedule.spaced("1 second")), done))
    },
    schedule: makeTurnScheduler(),
    awaitEntries: (follower) => ahead.add(follower),
  }

  const publish = (events: ReadonlyArray<LoggedEvent>) =>
    Effect.map(retryTransient("10 minutes")(render(events)), (entries) => {
      for (const entry of entries) {
        recent.push(entry)
        for (const message of entry.messages) index.publish(message)
      }
      const waiting = ahead
      ahead = new Set()
      for (const follower of waiting) follower.resume()
    })

  /** Without subscribers, full batches are skipped: rendering tens of thousands of old events would delay live ones. */
  const handle = (events: ReadonlyArray<LoggedEvent>) => {
    const last = events.at(-1)
    if (last === undefined || events.length < mostAtOnce || followers.size > 0) return publish(events)
    return Effect.sync(() => recent.skipTo(Number(last.seq)))
  }

  const caughtUp = () => {
    upToDateAt = now()
  }
  const follow = Effect.suspend(() =>
    certainty === undefined
      ? followLog(BigInt(recent.position), handle, caughtUp)
      : followCertain(BigInt(recent.position), certainty.certain, handle, caughtUp),
  )
  yield* follow.pipe(
    Effect.scoped,
    Effect.tapCause((cause) => Effect.logWarning("failed to follow the event log; retrying", cause)),
    // Also after defects: silence would be worse.
    Effect.sandbox,
    Effect.retry(Schedule.spaced("1 second")),
    Effect.forkScoped,
  )

  const followerOf = (subscriber: Subscriber) => {
    const known = followers.get(subscriber)
    if (known !== undefined) return known
    const follower = new EventFollower(subscriber, context)
    followers.set(subscriber, follower)
    return follower
  }

  const catchUpOf = (
    subscriber: Subscriber,
    subscription: EventSubscription,
    start: ReplayStart,
  ): CatchUp | undefined => {
    const { cursor, search } = start
    if (cursor === undefined) return undefined
    const subscription_id = subscription.id
    return catchUpFrom(cursor, [subscription], {
      search,
      // Replayed fills and resumed events have the shape of live ones.
      isFlat: subscription.stream === "fills" || start.ackFields["recovered"] === true,
      onStart: () => undefined,
      onDone: ({ sent, gaveUpAt }) => {
        if (sent === 0) subscriber.send({ type: "snapshot", subscription_id, count: 0, events: [] })
        const searchEnd = gaveUpAt === undefined ? {} : { searched_after: gaveUpAt }
        subscriber.send({ type: "caught_up", subscription_id, replayed: sent, seq: recent.position, ...searchEnd })
      },
    })
  }

  const subscribe = Effect.fnUntraced(
    function* (subscriber: Subscriber, message: Subscribe) {
      const stream = streamOf(message.type)
      if (!isEventStream(stream)) return yield* Effect.die(`${stream} is not an event stream`)
      const filters = mergedFilters(message)
      const { filter, bounds, warnings } = yield* readEventRequest(lookup, stream, filters)
      const bytes = filterBytes(filter.filter)
      yield* keepOrRefuse(subscriber, preparing, bytes)
      const begin = (start: ReplayStart) => {
        if (subscriber.isClosed) return
        const id = subscriber.nextSubscriptionId()
        const from = start.cursor ?? recent.position
        const subscription: EventSubscription = { id, stream, confirmations: filters.confirmations, filter, from }
        const ack = {
          subscription_id: id,
          subscription_type: stream,
          warnings,
          ...(confirmations === undefined ? {} : { seq: recent.position }),
          ...shownConfirmations(filters),
          ...bounds,
          ...start.ackFields,
        }
        subscriber.kept.keep(preparing, 0)
        subscriber.kept.keep(id, bytes)
        subscriber.send({ type: "subscribed", ...ack })
        followerOf(subscriber).begin(subscription, catchUpOf(subscriber, subscription, start))
      }
      const start = replayStartOf({
        plan: subscriber.caller.plan,
        filter,
        resume: message.resume,
        since: filters.since,
        snapshotCount: filters.snapshot_count,
      })
      yield* Effect.onError(index.holding(filter, Effect.map(start, begin)), () =>
        Effect.sync(() => subscriber.kept.keep(preparing, 0)),
      )
    },
    Effect.catchTag("SqlError", () => Effect.fail(logUnavailable())),
  )

  const selected = (
    subscriber: Subscriber,
    { subscription_id, type }: Unsubscribe,
  ): ReadonlyArray<EventSubscription> => {
    const all = [...(followers.get(subscriber)?.subscriptions.values() ?? [])]
    if (subscription_id !== undefined) return all.filter(({ id }) => id === subscription_id)
    return type === undefined ? all : all.filter(({ stream }) => stream === streamOf(type))
  }

  const channel: EventChannel = {
    newest: () => recent.position,
    silentMillis: () => now() - upToDateAt,
    has: (subscriber) => (followers.get(subscriber)?.subscriptions.size ?? 0) > 0,
    position: (subscriber) => followers.get(subscriber)?.position ?? recent.position,
    subscribe,
    update: Effect.fnUntraced(function* (subscriber: Subscriber, id: string, filters: Filters) {
      const follower = followers.get(subscriber)
      const subscription = follower?.subscriptions.get(id)
      if (follower === undefined || subscription === undefined) return false
      const { stream } = subscription
      const wanted = { ...filters, ...shownConfirmations(subscription) }
      if (filters.confirmations !== undefined && filters.confirmations !== subscription.confirmations)
        return yield* new Refusal({
          code: "invalid_message",
          message: "an update cannot change confirmations: subscribe again, and unsubscribe from this one",
        })
      const { filter, bounds, warnings } = yield* readEventRequest(lookup, stream, wanted)
      yield* keepOrRefuse(subscriber, id, filterBytes(filter.filter))
      const replace = Effect.sync(() => {
        if (subscriber.isClosed || !follower.subscriptions.has(id)) return
        follower.replace(subscription, filter)
        const shown = { ...shownConfirmations(subscription), ...bounds }
        subscriber.send({ type: "updated", subscription_id: id, subscription_type: stream, warnings, ...shown })
      })
      yield* index.holding(filter, replace)
      return true
    }),
    unsubscribe: (subscriber, message) => {
      const ended = selected(subscriber, message)
      for (const subscription of ended) {
        followers.get(subscriber)?.end(subscription)
        subscriber.kept.keep(subscription.id, 0)
      }
      return ended.map(({ id }) => id)
    },
    pause: (subscriber) => followers.get(subscriber)?.pause(),
    readable: (subscriber) => followers.get(subscriber)?.resume(),
    left: (subscriber) => {
      followers.get(subscriber)?.left()
      followers.delete(subscriber)
    },
    sourcesOf: (subscriber) => sourcesOf([...(followers.get(subscriber)?.subscriptions.values() ?? [])]),
  }
  return channel
})
