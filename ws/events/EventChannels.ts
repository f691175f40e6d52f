import { Effect, Scope, Semaphore } from "effect"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import type { Feed } from "#src/feed/Feed.ts"
import type { EventLog } from "#src/mesh/EventLog.ts"
import type { EventTail } from "#src/mesh/EventTail.ts"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import type { Redis } from "#src/platform/redis/Redis.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Publisher, Subscriber } from "../channel/Channel.ts"
import type { AwaitedConfirmations } from "./certainty.ts"
import { type EventChannel, logUnavailable, makeEventChannel, mergedFilters } from "./EventChannel.ts"

/**
 * All streams of the event log. Those who wait for confirmations have a channel of their own, which starts with its first
 * subscriber, because it renders every event once more.
 */
export const makeEventChannels = Effect.fnUntraced(function* (publisher: Publisher) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<Configuration | EventLog | EventTail | Feed | MarketLookup | Postgres | Redis>()
  const atOnce = yield* makeEventChannel(publisher)
  const started = new Map<AwaitedConfirmations, EventChannel>()

  const starting = (confirmations: AwaitedConfirmations) =>
    makeEventChannel(publisher, confirmations).pipe(
      Scope.provide(scope),
      Effect.provide(context),
      Effect.tap((channel) => Effect.sync(() => started.set(confirmations, channel))),
      Effect.mapError(logUnavailable),
    )
  const oneAtATime = yield* Semaphore.make(1)
  const waitingFor = (confirmations: AwaitedConfirmations) =>
    oneAtATime.withPermit(
      Effect.suspend(() => {
        const channel = started.get(confirmations)
        return channel === undefined ? starting(confirmations) : Effect.succeed(channel)
      }),
    )

  const all = () => [atOnce, ...started.values()]
  const channels: EventChannel = {
    newest: atOnce.newest,
    silentMillis: () => Math.max(...all().map((channel) => channel.silentMillis())),
    has: (subscriber) => all().some((channel) => channel.has(subscriber)),
    position: (subscriber) => {
      const own = all().filter((channel) => channel.has(subscriber))
      return own.length === 0 ? atOnce.newest() : Math.min(...own.map((channel) => channel.position(subscriber)))
    },
    subscribe: Effect.fnUntraced(function* (subscriber, message) {
      const { confirmations = 0 } = mergedFilters(message)
      const channel = confirmations === 0 ? atOnce : yield* waitingFor(confirmations)
      yield* channel.subscribe(subscriber, message)
    }),
    update: Effect.fnUntraced(function* (subscriber: Subscriber, id, filters) {
      for (const channel of all()) if (yield* channel.update(subscriber, id, filters)) return true
      return false
    }),
    unsubscribe: (subscriber, message) => all().flatMap((channel) => channel.unsubscribe(subscriber, message)),
    pause: (subscriber) => {
      for (const channel of all()) channel.pause(subscriber)
    },
    readable: (subscriber) => {
      for (const channel of all()) channel.readable(subscriber)
    },
    left: (subscriber) => {
      for (const channel of all()) channel.left(subscriber)
    },
    sourcesOf: (subscriber) => [...new Set(all().flatMap((channel) => channel.sourcesOf(subscriber)))],
  }
  return channels
})
