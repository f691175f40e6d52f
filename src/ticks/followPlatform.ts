import { Clock, Duration, Effect, Queue, Schedule, Stream } from "effect"
import { averagedOver, type Coin, secondOf, type Tick, type TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Polybolt } from "#src/upstream/oracle/Polybolt.ts"
import type { PlatformMessage } from "#src/upstream/oracle/platformMessage.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"
import { keepConnected } from "./connection.ts"
import { makeIntake } from "./Intake.ts"
import { TickStore } from "./TickStore.ts"

const graceSeconds = 3
/** Minimum time between snapshot requests; a snapshot covers two minutes. */
const snapshotInterval = Duration.seconds(10)
/** Suspect snapshots of a coin before one is accepted. */
const maxSuspectSnapshots = 5

/**
 * Follows one series of the platform's sockets: PolyBolt with credentials for it, else the older one. Neither has a
 * history: missed ticks are in the next snapshot or lost. Each series has its own connection, because one topic that has
 * ended silences all subscriptions of a connection.
 */
export const followPlatform = (source: TickSource) => (lease: Lease) =>
  Effect.gen(function* () {
    const [polybolt, rtds] = [yield* Polybolt, yield* Rtds]
    const platform = polybolt.isAvailable ? polybolt : rtds
    const series = averagedOver(source) === undefined ? "spot" : "twap60"
    const store = yield* TickStore
    const clock = yield* Clock.Clock
    const intake = yield* makeIntake(source, lease)
    const snapshotRequests = yield* Queue.sliding<void>(1)
    const starts = new Map<Coin, number>(yield* store.coverageStarts(source))
    const suspects = new Map<Coin, { readonly times: number; readonly accepted: number }>()

    const snapshot = ({ coin, ticks, unread }: Extract<PlatformMessage, { kind: "snapshot" }>) =>
      Effect.gen(function* () {
        const [first, last] = [ticks[0], ticks.at(-1)]
        if (first === undefined || last === undefined) return
        const now = clock.currentTimeMillisUnsafe()
        const check = intake.recent.checkRange(ticks, now)
        const suspect = suspects.get(coin) ?? { times: 0, accepted: intake.accepted() }
        // While live ticks are accepted the clock is right, and the snapshot only rounds differently.
        const mayReject = suspect.times < maxSuspectSnapshots || intake.accepted() === suspect.accepted
        if (check === "contradiction" || unread.length > 0) suspects.set(coin, { ...suspect, times: suspect.times + 1 })
        else suspects.delete(coin)
        if (check === "ahead" || check === "behind" || (check === "contradiction" && mayReject)) {
          intake.metrics.refill(check)
          return yield* intake.quarantine(check, ticks)
        }
        const from = Math.min(starts.get(coin) ?? secondOf(first), secondOf(first))
        starts.set(coin, from)
        const isComplete = unread.length === 0 || !mayReject
        // Seconds before the snapshot are lost, whether it is complete or not.
        const settled = { coin, from, to: isComplete ? secondOf(last) + 1 : secondOf(first) }
        const received = ticks.map((tick) => ({ ...tick, receivedAt: now }))
        yield* intake.enqueue({ ticks: received, settled: settled.to > settled.from ? [settled] : [] })
        intake.metrics.refill("done")
        yield* intake.publishRecent(ticks)
      })

    const live = (ticks: ReadonlyArray<Tick>) =>
      Effect.map(intake.live(ticks), () => {
        for (const { coin } of ticks) {
          const at = intake.recent.newest(coin)
          if (at !== undefined && !starts.has(coin)) starts.set(coin, secondOf({ at }))
        }
      })

    const handle = (messages: ReadonlyArray<PlatformMessage>) =>
      Effect.gen(function* () {
        let updates: Array<Tick> = []
        for (const message of messages) {
          if (message.kind === "update") updates.push(message.tick)
          if (message.kind !== "snapshot") continue
          yield* live(updates)
          updates = []
          yield* snapshot(message)
        }
        yield* live(updates)
      })

    const hasGaps = Effect.gen(function* () {
      const to = Math.floor(clock.currentTimeMillisUnsafe() / 1000) - graceSeconds
      const oldest = Math.min(to, ...starts.values())
      const missing = yield* retryTransient("1 minute")(store.missing(source, oldest, to))
      return missing.some(({ coin, to }) => to > (starts.get(coin) ?? to))
    })
    const requestSnapshot = Effect.flatMap(hasGaps, (isMissing) =>
      Effect.sync(() => isMissing && Queue.offerUnsafe(snapshotRequests, undefined)),
    )

    yield* Effect.all(
      [
        intake.write,
        intake.watchAges,
        Effect.repeat(requestSnapshot, Schedule.spaced(snapshotInterval)),
        keepConnected(source, intake, platform.live(series, Stream.fromQueue(snapshotRequests)), handle, Effect.void),
      ],
      { concurrency: "unbounded", discard: true },
    )
  })
