import { Effect } from "effect"
import type { RunningServer } from "#src/platform/embedded/Server.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { ofAllWorkers, ofWorker } from "../support/inFlight.ts"
import { patience } from "../support/patience.ts"
import type { Row, Scene } from "../support/Row.ts"
import type { Part } from "../support/service.ts"

const frozenMillis = 20_000

const frozen = (part: Part, within: number, more: Partial<Row> = {}): Row => ({
  name: `SIGSTOP of the ${part} for 20 s`,
  within,
  fault: ({ processOf }) =>
    Effect.gen(function* () {
      processOf(part).freeze()
      yield* pause(frozenMillis)
      processOf(part).thaw()
    }),
  ...more,
})

const freezeServer = ({ signal }: RunningServer) =>
  Effect.all([signal("SIGSTOP"), pause(frozenMillis), signal("SIGCONT")], { discard: true })

/** Seconds within which another process runs the actors of a frozen one. */
const takeoverSeconds = 15

const newestBlock = ({ judge }: Scene) => {
  const { status = [] } = judge.observer
  const chain = status.at(-1)?.body?.sources?.find(({ source }) => source === "chain")
  return Number(chain?.details["block"] ?? 0)
}

/** Processes and servers that stand still without ending, and go on as if nothing had happened. */
export const freezes: ReadonlyArray<Row> = [
  frozen("api", 15, { silencesApi: true }),
  frozen("gateway", 15),
  frozen("scheduler", 15),
  {
    name: "SIGSTOP of a worker for 20 s, which another replaces meanwhile",
    within: 15,
    mayRepeat: ofWorker,
    fault: (scene) =>
      Effect.gen(function* () {
        const { processOf, venue } = scene
        const worker = processOf("worker")
        worker.freeze()
        const thaw = Effect.sync(() => worker.thaw())
        yield* Effect.gen(function* () {
          yield* pause(1_000)
          const { head } = yield* venue.state
          yield* eventually(
            "the other worker follows the chain",
            takeoverSeconds * patience * 1_000,
            Effect.sync(() => newestBlock(scene) > head),
            100,
          )
          yield* pause(frozenMillis - takeoverSeconds * 1_000)
        }).pipe(Effect.ensuring(thaw))
      }),
  },
  frozen("venue", 30),
  {
    name: "SIGSTOP of Postgres for 20 s",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "postgres", innocent: "redis" },
    fault: ({ postgres }) => freezeServer(postgres),
  },
  {
    name: "SIGSTOP of Redis for 20 s",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "redis", innocent: "postgres" },
    fault: ({ redis }) => freezeServer(redis),
  },
]
