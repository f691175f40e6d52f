import assert from "node:assert/strict"
import { Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { ask } from "#test/webhooks/support/ask.ts"
import { patience } from "../support/patience.ts"
import type { Row } from "../support/Row.ts"

const size = 5_000
/** The gateway accepts 2,000 connections a second. */
const backWithinMillis = 15_000
const comeWithinMillis = 120_000 * patience

interface Crowd {
  readonly caughtUp: number
  readonly recovered: number
  readonly faults: ReadonlyArray<string>
  readonly refused: number
}

/** Many clients at a time. */
export const crowds: ReadonlyArray<Row> = [
  {
    name: "5,000 sockets come back at once after kill -9 of the gateway",
    within: 15,
    fault: ({ streams, judge, kill, restart, awaitReady }) =>
      Effect.gen(function* () {
        const crowd = yield* start({
          name: "crowd",
          file: "test/faults/support/crowdProcess.ts",
          env: { CROWD_ADDRESS: `${streams}/ws?key=${judge.listeners.key}`, CROWD_SIZE: String(size) },
        })
        const state = (): Crowd => {
          const line = crowd.lines.findLast((each) => each.startsWith("{"))
          return JSON.parse(line ?? `{"caughtUp":0,"recovered":0,"faults":[],"refused":0}`)
        }
        const becomes = (what: string, withinMillis: number, is: (crowd: Crowd) => boolean) =>
          eventually(
            what,
            withinMillis,
            Effect.sync(() => is(state())),
            250,
          ).pipe(
            Effect.catchDefect((defect) =>
              Effect.die(new Error(`${String(defect)}; the crowd is ${JSON.stringify(state())}`)),
            ),
          )
        yield* ask(crowd, "come")
        yield* becomes(`${size} subscribers have come`, comeWithinMillis, ({ caughtUp }) => caughtUp === size)
        yield* ask(crowd, "leave")
        yield* kill("gateway")
        yield* restart("gateway")
        yield* awaitReady("gateway")
        const before = state().recovered
        yield* ask(crowd, "come")
        yield* becomes(
          `${size} subscribers have come back and resumed`,
          backWithinMillis * patience,
          ({ recovered, caughtUp }) => recovered - before >= size && caughtUp === size,
        )
        assert.deepEqual(state().faults, [])
        yield* ask(crowd, "leave")
      }),
  },
]
