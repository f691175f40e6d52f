import { Effect, Option } from "effect"
import type { TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import { keepConnected } from "./connection.ts"
import { makeTickHistory } from "./TickHistory.ts"
import { makeIntake } from "./Intake.ts"

const source: TickSource = "oracle_data_streams"

/** Before the first connection, so that there is something to judge live ticks by. */
const headStart = "5 seconds"

/** Follows the oracle itself: live by its socket, and by its history for all that the socket did not say. */
export const followDataStreams = (lease: Lease) =>
  Effect.gen(function* () {
    const streams = yield* DataStreams
    const health = yield* Health
    if (!streams.isAvailable) {
      yield* Effect.logInfo(
        `${source}: there are no credentials (upstream.datastreams-id, -secret), so no ticks from it`,
      )
      return yield* Effect.never
    }
    const intake = yield* makeIntake(source, lease)
    const history = yield* makeTickHistory(intake)
    yield* health.register(
      "ticks",
      Effect.flatMap(
        history.readiness,
        Option.match({ onNone: () => Effect.succeed(undefined), onSome: (reason) => Effect.fail(reason) }),
      ),
    )
    yield* Effect.timeoutOption(history.pass, headStart)
    yield* Effect.all(
      [
        intake.write,
        intake.watchAges,
        history.run,
        keepConnected(source, intake, streams.live, intake.live, history.wake),
      ],
      { concurrency: "unbounded", discard: true },
    )
  })
