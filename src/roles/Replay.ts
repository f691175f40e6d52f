import { Clock, Deferred, Effect } from "effect"
import { Progress } from "#src/ledger/Progress.ts"
import type { Recording } from "#src/recording/RecordingReader.ts"
import { drive, endOf, type Speed } from "#src/recording/replay/drive.ts"
import type { ReplayServer } from "#src/recording/replay/ReplayServer.ts"
import { type ReplayTime, replayClock } from "#src/recording/replay/ReplayTime.ts"
import { awaitHistory } from "./awaitHistory.ts"
import { awaitReady } from "./awaitReady.ts"
import { base } from "./Base.ts"
import { everyRole } from "./everyRole.ts"
import { layerFor, stepsFor } from "./Process.ts"
import { externalSimulator } from "./SimulatorChild.ts"
import { serve } from "./serve.ts"

/** A recording that was cut short may lack what a new instance waits for. */
const readyWithin = "30 seconds"

export interface ReplayOptions {
  readonly recording: Recording
  readonly time: ReplayTime
  readonly server: ReplayServer
  readonly speed: Speed
  /** Whether to stop at the end of the recording. */
  readonly exits: boolean
  /** Whether to wait for Enter before the recorded time begins. */
  readonly isPaused: boolean
}

const shown = (millis: number) => new Date(millis).toISOString()

/** Waits for a line on the standard input, or its end. */
const enterPressed = Effect.callback<void>((resume) => {
  const { stdin } = process
  const go = () => {
    stdin.off("data", go).off("end", go).pause()
    resume(Effect.void)
  }
  stdin.on("data", go).on("end", go)
  return Effect.sync(() => stdin.off("data", go).off("end", go).pause())
})

/** Runs the whole service on a recording. Its time begins when the service is ready. */
export const replay = ({ recording, time, server, speed, exits, isPaused }: ReplayOptions) =>
  Effect.gen(function* () {
    const end = endOf(recording)
    const ended = yield* Deferred.make<void>()
    const { afterwards } = stepsFor(everyRole)

    const play = Effect.gen(function* () {
      const progress = yield* Progress
      const ledgerBlock = Effect.orElseSucceed(
        Effect.map(progress.ledger, (ledger) => ledger?.block),
        () => undefined,
      )
      if (isPaused) {
        process.stdout.write("paused at the start of the recording: press Enter to begin\n")
        yield* enterPressed
      }
      process.stdout.write(`replaying ${shown(time.now())} to ${shown(end)}\n`)
      yield* drive({ time, server, end, speed, ledgerBlock })
      process.stdout.write(`the recording has ended${exits ? "" : "; its last state is served until you stop it"}\n`)
      yield* Deferred.succeed(ended, undefined)
    })

    const service = serve(Effect.andThen(awaitHistory, awaitReady(readyWithin)), Effect.andThen(afterwards, play))
    yield* Effect.raceFirst(service, exits ? Deferred.await(ended) : Effect.never).pipe(
      Effect.provide(layerFor(everyRole, externalSimulator)),
    )
  }).pipe(
    Effect.scoped,
    Effect.provide(base),
    Effect.updateService(Clock.Clock, (real) => replayClock(time, real)),
  )
