import { Effect, Option } from "effect"
import type { TickSource } from "#src/domain/Tick.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { DataStreams } from "#src/upstream/oracle/DataStreams.ts"
import { keepConnected } from "./connection.ts"
import { makeIntake } from "./Intake.ts"
import { makeTickHistory } from "./TickHistory.ts"

const source: TickSource = "oracle_data_streams"

/** Time for loading history before the first connection, so that live ticks can be checked against it. */
const headStart = "5 seconds"

/** Follows the oracle: live through its socket, with missing ticks from its history. */
export const followDataStreams = (lease: Lease) =>
  Effect.gen(function* () {
    const streams = yield* DataStreams
    const health = yield* Health
    if (!streams.isAvailable) {
      yield* Effect.logInfo(`${source}: disabled, because upstream.datastreams-id and -secret are not set`)
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
