import { Clock, Duration, Effect, Queue, Schedule, Stream } from "effect"
import { type Coin, secondOf, type Tick, type TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { Rtds } from "#src/upstream/oracle/Rtds.ts"
import type { RtdsMessage } from "#src/upstream/oracle/rtdsWire.ts"
import { keepConnected } from "./connection.ts"
import { makeIntake } from "./Intake.ts"
import { TickStore } from "./TickStore.ts"

const source: TickSource = "platform_oracle"

const graceSeconds = 3
/** How often at most another snapshot is asked for; each covers two minutes. */
const snapshotEvery = Duration.seconds(10)
/** How often a snapshot of a coin may be doubtful before it counts. */
const patience = 5

/** Follows the platform's socket. It has no history: what was missed is in its next snapshot, or lost. */
export const followPlatform = (lease: Lease) =>
  Effect.gen(function* () {
    const rtds = yield* Rtds
    const store = yield* TickStore
    const clock = yield* Clock.Clock
    const intake = yield* makeIntake(source, lease)
    const again = yield* Queue.sliding<void>(1)
    const beginnings = new Map<Coin, number>(yield* store.beginnings(source))
    const doubts = new Map<Coin, { readonly times: number; readonly accepted: number }>()

    const snapshot = ({ coin, ticks, unread }: Extract<RtdsMessage, { kind: "snapshot" }>) =>
      Effect.gen(function* () {
        const [first, last] = [ticks[0], ticks.at(-1)]
        if (first === undefined || last === undefined) return
        const now = clock.currentTimeMillisUnsafe()
        const verdict = intake.recent.judgeStretch(ticks, now)
        const doubt = doubts.get(coin) ?? { times: 0, accepted: intake.accepted() }
        // Live ticks that go on being good show that the clock is, and the snapshot just rounds in its own way.
        const isPatient = doubt.times < patience || intake.accepted() === doubt.accepted
        if (verdict === "contradiction" || unread.length > 0) doubts.set(coin, { ...doubt, times: doubt.times + 1 })
        else doubts.delete(coin)
        if (verdict === "ahead" || verdict === "behind" || (verdict === "contradiction" && isPatient)) {
          intake.metrics.refill(verdict)
          return yield* intake.quarantine(verdict, ticks)
        }
        const from = Math.min(beginnings.get(coin) ?? secondOf(first), secondOf(first))
        beginnings.set(coin, from)
        const isWhole = unread.length === 0 || !isPatient
        // What the snapshot does not reach back to is lost, whole or not.
        const settled = { coin, from, to: isWhole ? secondOf(last) + 1 : secondOf(first) }
        const received = ticks.map((tick) => ({ ...tick, receivedAt: now }))
        yield* intake.enqueue({ ticks: received, settled: settled.to > settled.from ? [settled] : [] })
        intake.metrics.refill("done")
        yield* intake.late(ticks)
      })

    const live = (ticks: ReadonlyArray<Tick>) =>
      Effect.map(intake.live(ticks), () => {
        for (const { coin } of ticks) {
          const at = intake.recent.newest(coin)
          if (at !== undefined && !beginnings.has(coin)) beginnings.set(coin, secondOf({ at }))
        }
      })

    const handle = (messages: ReadonlyArray<RtdsMessage>) =>
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

    const anyMissing = Effect.gen(function* () {
      const to = Math.floor(clock.currentTimeMillisUnsafe() / 1000) - graceSeconds
      const oldest = Math.min(to, ...beginnings.values())
      const missing = yield* retryTransient("1 minute")(store.missing(source, oldest, to))
      return missing.some(({ coin, to }) => to > (beginnings.get(coin) ?? to))
    })
    const askAgain = Effect.flatMap(anyMissing, (isMissing) =>
      Effect.sync(() => isMissing && Queue.offerUnsafe(again, undefined)),
    )

    yield* Effect.all(
      [
        intake.write,
        intake.watchAges,
        Effect.repeat(askAgain, Schedule.spaced(snapshotEvery)),
        keepConnected(source, intake, rtds.live(Stream.fromQueue(again)), handle, Effect.void),
      ],
      { concurrency: "unbounded", discard: true },
    )
  })
