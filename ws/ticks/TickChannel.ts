import { Clock, Effect, type Scope } from "effect"
import { type Coin, coins, readTickId, spotSources, type TickSource, tickSources } from "#src/domain/Tick.ts"
import type { Filters, Subscribe } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { aliases } from "#src/streams/protocol/streamTypes.ts"
import type { LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { twapWindows } from "#src/ticks/live/twap.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import type { Channel, Publisher, Subscriber } from "../channel/Channel.ts"
import { TickFrames } from "./frames.ts"
import { grantReplay } from "./replay.ts"
import { newestOf, TickFollower } from "./TickFollower.ts"
import {
  describeTickRequest,
  readTickRequest,
  seriesOf,
  type TickRequest,
  type TickSeries,
  type TickWindow,
  topicOf,
} from "./tickRequest.ts"

const windows: ReadonlyArray<TickWindow> = ["own", ...twapWindows]

const isSpot = (source: TickSource | undefined): source is TickSource =>
  source !== undefined && spotSources.includes(source)

/** A source silent for this long is not used as the default. */
const freshMillis = 60_000

const warmingUp = new Refusal({
  code: "service_warming_up",
  message: "recent prices are still loading; try again in a moment",
  retryAfterMillis: 1000,
})

const empty = (subscription: string) => ({ type: "snapshot", count: 0, events: [], subscription_id: subscription })

/** The oracle's price feeds. */
export const makeTickChannel = (publisher: Publisher): Effect.Effect<Channel, never, TickFeed | Scope.Scope> =>
  Effect.gen(function* () {
    const feed = yield* TickFeed
    const clock = yield* Clock.Clock
    const frames = new TickFrames()
    const followers = new Map<Subscriber, TickFollower>()
    /** Followers whose clients have newer ticks, from another gateway, than this process. */
    const ahead = new Set<TickFollower>()

    const advance = (follower: TickFollower) => {
      if (follower.advance()) ahead.add(follower)
      else ahead.delete(follower)
    }

    const publish = (tick: LiveTick) => {
      const memory = feed.memory(tick.source, tick.coin)
      for (const window of windows) {
        const topic = topicOf({ ...tick, window })
        if (publisher.hasSubscribers(topic)) publisher.publish(topic, frames.of(tick, memory, window))
      }
    }

    yield* feed.subscribe((ticks) => {
      for (const tick of ticks) publish(tick)
      for (const follower of ahead) advance(follower)
    })

    const isFresh = (source: TickSource) => {
      const since = clock.currentTimeMillisUnsafe() - freshMillis
      return coins.some((coin) => (feed.memory(source, coin).newest?.at ?? 0) >= since)
    }

    /**
     * The source of the client's last prices, or else the first fresh source. A client that also followed averages has their
     * ticks among its last ones, but gets averages only from a source that it names.
     */
    const defaultSource = (ticks: Readonly<Record<string, string>> = {}): TickSource => {
      const resumed = Object.values(ticks).map((id) => readTickId(id).source)
      return resumed.find(isSpot) ?? spotSources.find(isFresh) ?? tickSources[0]
    }

    const follow = (follower: TickFollower, id: string, series: TickSeries, after?: number) =>
      follower.follow(id, series, feed.memory(series.source, series.coin), after)

    const begin = (subscriber: Subscriber, request: TickRequest, message: Subscribe) => {
      const { since = message.filters?.since, snapshot_count: snapshotCount = message.filters?.snapshot_count } =
        message
      const granted = grantReplay(
        { since, snapshotCount, ticks: message.resume?.ticks },
        {
          request,
          plan: subscriber.caller.plan,
          now: clock.currentTimeMillisUnsafe(),
          memoryOf: (coin: Coin) => feed.memory(request.source, coin),
        },
      )
      const follower = followers.get(subscriber) ?? new TickFollower(subscriber, frames)
      followers.set(subscriber, follower)
      const id = subscriber.nextSubscriptionId()
      follower.subscriptions.set(id, request)
      subscriber.send({
        type: "subscribed",
        subscriber_id: subscriber.id,
        subscription_id: id,
        subscription_type: "oracle",
        ...describeTickRequest(request),
        ...granted?.ackFields,
        warnings: [...request.warnings, ...(granted?.warnings ?? [])],
      })
      const pending = seriesOf(request).flatMap((series) =>
        follow(follower, id, series, granted?.after.get(series.coin)),
      )
      const replayed = granted?.count === undefined ? pending : newestOf(pending, granted.count)
      if (granted !== undefined && replayed.length === 0) subscriber.send(empty(id))
      follower.enqueue(replayed)
      advance(follower)
    }

    const replace = (
      subscriber: Subscriber,
      follower: TickFollower,
      id: string,
      before: TickRequest,
      request: TickRequest,
    ) => {
      const next = seriesOf(request)
      const kept = new Set(next.map(topicOf))
      follower.subscriptions.set(id, request)
      for (const series of next) follow(follower, id, series)
      follower.unfollow(
        id,
        seriesOf(before).filter((series) => !kept.has(topicOf(series))),
      )
      subscriber.send({
        type: "updated",
        subscriber_id: subscriber.id,
        subscription_id: id,
        ...describeTickRequest(request),
        warnings: request.warnings,
      })
      advance(follower)
    }

    const read = (filters: Filters, source: TickSource) => Effect.fromResult(readTickRequest(filters, source))

    return {
      subscribe: (subscriber, message) =>
        Effect.suspend(() => {
          if (!feed.isLoaded()) return Effect.fail(warmingUp)
          const filters = {
            ...message.filters,
            ...(message.event_types === undefined ? {} : { event_types: message.event_types }),
          }
          return Effect.map(read(filters, defaultSource(message.resume?.ticks)), (request) =>
            begin(subscriber, request, message),
          )
        }),
      update: (subscriber, id, filters) =>
        Effect.suspend(() => {
          const follower = followers.get(subscriber)
          const before = follower?.subscriptions.get(id)
          if (follower === undefined || before === undefined) return Effect.succeed(false)
          return Effect.map(read(filters, before.source), (request) => {
            replace(subscriber, follower, id, before, request)
            return true
          })
        }),
      unsubscribe: (subscriber, { subscription_id, token_ids, markets, type = "oracle" }) => {
        const follower = followers.get(subscriber)
        const isOther = token_ids !== undefined || markets !== undefined || (aliases[type] ?? type) !== "oracle"
        if (follower === undefined || isOther) return []
        const ended = [...follower.subscriptions].filter(
          ([id]) => subscription_id === undefined || id === subscription_id,
        )
        for (const [id, request] of ended) {
          follower.unfollow(id, seriesOf(request))
          follower.subscriptions.delete(id)
        }
        return ended.map(([id]) => id)
      },
      pause: (subscriber) => followers.get(subscriber)?.pause(),
      readable: (subscriber) => {
        const follower = followers.get(subscriber)
        if (follower !== undefined) advance(follower)
      },
      left: (subscriber) => {
        const follower = followers.get(subscriber)
        if (follower === undefined) return
        ahead.delete(follower)
        followers.delete(subscriber)
      },
      sourcesOf: (subscriber) => {
        const requests = followers.get(subscriber)?.subscriptions.values() ?? []
        return [...new Set([...requests].map(({ source }) => source))]
      },
    }
  })
