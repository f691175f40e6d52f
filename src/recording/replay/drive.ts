import { Effect, Schedule } from "effect"
import type { Recording } from "../RecordingReader.ts"
import type { ReplayServer } from "./ReplayServer.ts"
import type { ReplayTime } from "./ReplayTime.ts"

export type Speed = number | "max"

/** Steps of recorded time at the highest speed. */
const stepMillis = 200
/** Longest wait for the ledger at one block. */
const patience = "1 minute"

/** First moment of a replay. Two blocks must have arrived: a ledger starts before the newest one. */
export const startOf = ({ manifest, chain }: Pick<Recording, "manifest" | "chain">): number => {
  const arrivals = chain.flatMap((line) => ("block" in line ? [line.at] : []))
  return Math.max(manifest.started_at, arrivals[1] ?? arrivals[0] ?? 0)
}

/** Last moment of a replay. */
export const endOf = ({ manifest, chain }: Pick<Recording, "manifest" | "chain">): number =>
  Math.max(manifest.ended_at, startOf({ manifest, chain }), chain.findLast((line) => "block" in line)?.at ?? 0)

export interface DriveOptions {
  readonly time: ReplayTime
  readonly server: ReplayServer
  readonly end: number
  readonly speed: Speed
  /** The last block in the ledger. */
  readonly ledgerBlock: Effect.Effect<number | undefined>
}

/** Lets the recorded time pass. At the end time goes on, but nothing arrives any more. */
export const drive = ({ time, server, end, speed, ledgerBlock }: DriveOptions) => {
  const isFollowed = Effect.map(ledgerBlock, (block) => (block ?? -1) >= (server.chain.head?.number ?? -1))
  const followed = Effect.repeat(isFollowed, { until: (yes) => yes, schedule: Schedule.spaced("5 millis") }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.logWarning(`the ledger did not reach block ${server.chain.head?.number} within ${patience}`),
    }),
  )

  /** As fast as the ledger follows: the next block arrives when it has the one before. */
  const fast = Effect.gen(function* () {
    for (let at = time.now(); at < end; ) {
      yield* followed
      at = Math.min(end, at + stepMillis, server.chain.nextAt ?? end)
      time.hold(at)
      server.pump()
      // Connections get their messages before time goes on.
      yield* Effect.sleep(1)
    }
  })

  const timed = (factor: number) =>
    Effect.sync(() => time.run(factor)).pipe(
      Effect.andThen(
        Effect.repeat(
          Effect.sync(() => time.now() >= end),
          { until: (ended) => ended, schedule: Schedule.spaced("20 millis") },
        ),
      ),
    )

  return Effect.gen(function* () {
    yield* speed === "max" ? fast : timed(speed)
    time.run(1, end)
    server.pump()
    yield* followed
  })
}
