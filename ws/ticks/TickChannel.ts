import { Clock, Effect, type Scope } from "effect"
import { type Coin, coins, readTickId, type TickSource, tickSources } from "#src/domain/Tick.ts"
import type { Filters, Subscribe } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import { aliases } from "#src/streams/protocol/types.ts"
import type { LiveTick } from "#src/ticks/live/Memory.ts"
import { twapWindows } from "#src/ticks/live/twap.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import type { Channel, Listener, Publisher } from "../Listener.ts"
import { Attendance, newestOf } from "./Attendance.ts"
import { Frames } from "./frames.ts"
import { grantReplay } from "./replay.ts"
import { type Line, linesOf, readWanted, topicOf, type Wanted, type Window, wantedInWords } from "./wanted.ts"

const windows: ReadonlyArray<Window> = ["spot", ...twapWindows]

/** A source that has said nothing for this long gives way to one that has, for those who name none. */
const freshMillis = 60_000

const warmingUp = new Refusal({
  code: "service_warming_up",
  message: "the last minutes of prices are still being loaded; try again in a moment",
  retryAfterMillis: 1000,
})

const empty = (subscription: string) => ({ type: "snapshot", count: 0, events: [], subscription_id: subscription })

/** The price feeds of the oracle, for sockets. */
export const makeTickChannel = (publisher: Publisher): Effect.Effect<Channel, never, TickFeed | Scope.Scope> =>
  Effect.gen(function* () {
    const feed = yield* TickFeed
    const clock = yield* Clock.Clock
    const frames = new Frames()
    const attendances = new Map<Listener, Attendance>()
    /** Those who know more than this process does, from another one. */
    const ahead = new Set<Attendance>()

    const advance = (attendance: Attendance) => {
      if (attendance.advance()) ahead.add(attendance)
      else ahead.delete(attendance)
    }

    const publish = (tick: LiveTick) => {
      const memory = feed.memory(tick.source, tick.coin)
      for (const window of windows) {
        const topic = topicOf({ ...tick, window })
        if (publisher.hasListeners(topic)) publisher.publish(topic, frames.of(tick, memory, window))
      }
    }

    yield* feed.listen((ticks) => {
      for (const tick of ticks) publish(tick)
      for (const attendance of ahead) advance(attendance)
    })

    const isHeard = (source: TickSource) => {
      const since = clock.currentTimeMillisUnsafe() - freshMillis
      return coins.some((coin) => (feed.memory(source, coin).newest?.at ?? 0) >= since)
    }

    /** The source of the ticks that the client has, else the first one that says something. */
    const usualSource = (ticks: Readonly<Record<string, string>> = {}): TickSource => {
      const [id] = Object.values(ticks)
      const resumed = id === undefined ? undefined : readTickId(id).source
      return resumed ?? tickSources.find(isHeard) ?? tickSources[0]
    }

    const follow = (attendance: Attendance, id: string, line: Line, after?: number) =>
      attendance.follow(id, line, feed.memory(line.source, line.coin), after)

    const begin = (listener: Listener, wanted: Wanted, message: Subscribe) => {
      const { since = message.filters?.since, snapshot_count: snapshotCount = message.filters?.snapshot_count } =
        message
      const granted = grantReplay(
        { since, snapshotCount, ticks: message.resume?.ticks },
        {
          wanted,
          plan: listener.caller.plan,
          now: clock.currentTimeMillisUnsafe(),
          memoryOf: (coin: Coin) => feed.memory(wanted.source, coin),
        },
      )
      const attendance = attendances.get(listener) ?? new Attendance(listener, frames)
      attendances.set(listener, attendance)
      const id = listener.nextSubscriptionId()
      attendance.subscriptions.set(id, wanted)
      listener.send({
        type: "subscribed",
        subscriber_id: listener.id,
        subscription_id: id,
        subscription_type: "oracle",
        ...wantedInWords(wanted),
        ...granted?.words,
        warnings: [...wanted.warnings, ...(granted?.warnings ?? [])],
      })
      const due = linesOf(wanted).flatMap((line) => follow(attendance, id, line, granted?.after.get(line.coin)))
      const replayed = granted?.most === undefined ? due : newestOf(due, granted.most)
      if (granted !== undefined && replayed.length === 0) listener.send(empty(id))
      attendance.due(replayed)
      advance(attendance)
    }

    const replace = (listener: Listener, attendance: Attendance, id: string, before: Wanted, wanted: Wanted) => {
      const lines = linesOf(wanted)
      const kept = new Set(lines.map(topicOf))
      attendance.subscriptions.set(id, wanted)
      for (const line of lines) follow(attendance, id, line)
      attendance.forgo(
        id,
        linesOf(before).filter((line) => !kept.has(topicOf(line))),
      )
      listener.send({
        type: "updated",
        subscriber_id: listener.id,
        subscription_id: id,
        ...wantedInWords(wanted),
        warnings: wanted.warnings,
      })
      advance(attendance)
    }

    const read = (filters: Filters, usual: TickSource) => Effect.fromResult(readWanted(filters, usual))

    return {
      subscribe: (listener, message) =>
        Effect.suspend(() => {
          if (!feed.isLoaded()) return Effect.fail(warmingUp)
          const filters = {
            ...message.filters,
            ...(message.event_types === undefined ? {} : { event_types: message.event_types }),
          }
          return Effect.map(read(filters, usualSource(message.resume?.ticks)), (wanted) =>
            begin(listener, wanted, message),
          )
        }),
      update: (listener, id, filters) =>
        Effect.suspend(() => {
          const attendance = attendances.get(listener)
          const before = attendance?.subscriptions.get(id)
          if (attendance === undefined || before === undefined) return Effect.succeed(false)
          return Effect.map(read(filters, before.source), (wanted) => {
            replace(listener, attendance, id, before, wanted)
            return true
          })
        }),
      unsubscribe: (listener, { subscription_id, token_ids, markets, type = "oracle" }) => {
        const attendance = attendances.get(listener)
        const isOther = token_ids !== undefined || markets !== undefined || (aliases[type] ?? type) !== "oracle"
        if (attendance === undefined || isOther) return []
        const over = [...attendance.subscriptions].filter(
          ([id]) => subscription_id === undefined || id === subscription_id,
        )
        for (const [id, wanted] of over) {
          attendance.forgo(id, linesOf(wanted))
          attendance.subscriptions.delete(id)
        }
        return over.map(([id]) => id)
      },
      pause: (listener) => attendances.get(listener)?.pause(),
      readable: (listener) => {
        const attendance = attendances.get(listener)
        if (attendance !== undefined) advance(attendance)
      },
      left: (listener) => {
        const attendance = attendances.get(listener)
        if (attendance === undefined) return
        ahead.delete(attendance)
        attendances.delete(listener)
      },
      sourcesOf: (listener) => {
        const wanted = attendances.get(listener)?.subscriptions.values() ?? []
        return [...new Set([...wanted].map(({ source }) => source))]
      },
    }
  })
