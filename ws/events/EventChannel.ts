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
import { isEventStream, streamOf } from "#src/streams/protocol/types.ts"
import { wsRing } from "#src/streams/settings.ts"
import type { Channel, Listener, Publisher } from "../Listener.ts"
import { Audiences } from "./Audiences.ts"
import { type CatchUp, catchUpFrom, Follower, type Subscription, type Surroundings } from "./Follower.ts"
import { makePages } from "./Pages.ts"
import { Ring } from "./Ring.ts"
import { type Beginning, makeBeginnings } from "./replay.ts"
import { sourcesOf } from "./sourcesOf.ts"
import { makeTurns } from "./turns.ts"
import { wantedOf } from "./wanted.ts"

const mostSubscriptions = 100

const away = () =>
  Effect.fail(
    new Refusal({ code: "unavailable", message: "the log cannot be read now: try again", retryAfterMillis: 2000 }),
  )

/** At the top level or inside `filters`; the top level wins. */
const merged = ({ filters = {}, event_types, snapshot_count, since }: Subscribe): Filters => ({
  ...filters,
  ...(event_types === undefined ? {} : { event_types }),
  ...(snapshot_count === undefined ? {} : { snapshot_count }),
  ...(since === undefined ? {} : { since }),
})

export interface EventChannel extends Channel {
  /** The newest seq that this gateway knows. */
  readonly newest: () => number
  /** Since this gateway last had everything that the log has. */
  readonly silentMillis: () => number
  /** The seq up to which a socket has heard everything that it asked for. */
  readonly position: (listener: Listener) => number
}

/** The streams that come from the event log: all but price feeds and order books. */
export const makeEventChannel = Effect.fnUntraced(function* (publisher: Publisher) {
  const feed = yield* Feed
  const log = yield* EventLog
  const lookup = yield* MarketLookup
  const config = yield* Configuration
  const run = yield* FiberSet.makeRuntime<never>()
  const pages = yield* makePages

  const ring = new Ring(config.get(wsRing), Number(yield* log.head))
  const audiences = new Audiences(publisher)
  const followers = new Map<Listener, Follower>()
  let ahead = new Set<Follower>()
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  let heardAt = now()
  const beginningOf = yield* makeBeginnings(ring)

  const around: Surroundings = {
    ring,
    audiences,
    load: (page, done) => {
      run(Effect.map(Effect.retry(pages(page, ring.floor), Schedule.spaced("1 second")), done))
    },
    takesTurns: makeTurns(),
    awaits: (follower) => ahead.add(follower),
  }

  const tell = (events: ReadonlyArray<LoggedEvent>) =>
    Effect.map(retryTransient("10 minutes")(feed.tell(events)), (entries) => {
      for (const entry of entries) {
        ring.push(entry)
        for (const message of entry.messages) audiences.tell(message)
      }
      const waited = ahead
      ahead = new Set()
      for (const follower of waited) follower.go()
    })

  /** History comes by tens of thousands while nobody listens yet, and names for all of it would keep it waiting. */
  const take = (events: ReadonlyArray<LoggedEvent>) => {
    const last = events.at(-1)
    if (last === undefined || events.length < mostAtOnce || followers.size > 0) return tell(events)
    return Effect.sync(() => ring.passOver(Number(last.seq)))
  }

  yield* Effect.suspend(() => followLog(BigInt(ring.position), take, () => (heardAt = now()))).pipe(
    Effect.scoped,
    Effect.tapCause((cause) => Effect.logWarning("the log cannot be followed; trying again", cause)),
    // Also after what nobody expected: silence would be worse.
    Effect.sandbox,
    Effect.retry(Schedule.spaced("1 second")),
    Effect.forkScoped,
  )

  const followerOf = (listener: Listener) => {
    const known = followers.get(listener)
    if (known !== undefined) return known
    const follower = new Follower(listener, around)
    followers.set(listener, follower)
    return follower
  }

  const catchUpOf = (listener: Listener, subscription: Subscription, beginning: Beginning): CatchUp | undefined => {
    const { cursor, search } = beginning
    if (cursor === undefined) return undefined
    const subscription_id = subscription.id
    return catchUpFrom(cursor, [subscription], {
      search,
      // Fills come back in the shape in which they come, and so does what a client missed.
      isFlat: subscription.stream === "fills" || beginning.told["recovered"] === true,
      begun: () => undefined,
      done: ({ sent, gaveUpAt }) => {
        if (sent === 0) listener.send({ type: "snapshot", subscription_id, count: 0, events: [] })
        const searched = gaveUpAt === undefined ? {} : { searched_after: gaveUpAt }
        listener.send({ type: "caught_up", subscription_id, replayed: sent, seq: ring.position, ...searched })
      },
    })
  }

  const subscribe = Effect.fnUntraced(
    function* (listener: Listener, message: Subscribe) {
      const stream = streamOf(message.type)
      if (!isEventStream(stream)) return yield* Effect.die(`${stream} is no stream of events`)
      if (followerOf(listener).subscriptions.size >= mostSubscriptions) {
        const text = `a connection has at most ${mostSubscriptions} subscriptions: update one, or put more into its filters`
        return yield* new Refusal({ code: "too_many_subscriptions", message: text })
      }
      const filters = merged(message)
      const { wish, warnings } = yield* wantedOf(lookup, stream, filters)
      const beginning = yield* beginningOf({
        plan: listener.caller.plan,
        wish,
        resume: message.resume,
        since: filters.since,
        snapshotCount: filters.snapshot_count,
      })
      if (listener.isGone) return
      const id = listener.nextSubscriptionId()
      const subscription: Subscription = { id, stream, wish, from: beginning.cursor ?? ring.position }
      listener.send({ type: "subscribed", subscription_id: id, subscription_type: stream, warnings, ...beginning.told })
      followerOf(listener).begin(subscription, catchUpOf(listener, subscription, beginning))
    },
    Effect.catchTag("SqlError", away),
  )

  const chosen = (listener: Listener, { subscription_id, type }: Unsubscribe): ReadonlyArray<Subscription> => {
    const all = [...(followers.get(listener)?.subscriptions.values() ?? [])]
    if (subscription_id !== undefined) return all.filter(({ id }) => id === subscription_id)
    return type === undefined ? all : all.filter(({ stream }) => stream === streamOf(type))
  }

  const channel: EventChannel = {
    newest: () => ring.position,
    silentMillis: () => now() - heardAt,
    position: (listener) => followers.get(listener)?.position ?? ring.position,
    subscribe,
    update: Effect.fnUntraced(function* (listener: Listener, id: string, filters: Filters) {
      const follower = followers.get(listener)
      const subscription = follower?.subscriptions.get(id)
      if (follower === undefined || subscription === undefined) return false
      const { wish, warnings } = yield* wantedOf(lookup, subscription.stream, filters)
      if (listener.isGone || !follower.subscriptions.has(id)) return true
      follower.replace(subscription, wish)
      listener.send({ type: "updated", subscription_id: id, subscription_type: subscription.stream, warnings })
      return true
    }),
    unsubscribe: (listener, message) => {
      const ended = chosen(listener, message)
      for (const subscription of ended) followers.get(listener)?.end(subscription)
      return ended.map(({ id }) => id)
    },
    pause: (listener) => followers.get(listener)?.pause(),
    readable: (listener) => followers.get(listener)?.go(),
    left: (listener) => {
      followers.get(listener)?.left()
      followers.delete(listener)
    },
    sourcesOf: (listener) => sourcesOf([...(followers.get(listener)?.subscriptions.values() ?? [])]),
  }
  return channel
})
