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
        yield* ask(crowd, "come")
        yield* eventually(
          `${size} subscribers have come`,
          comeWithinMillis,
          Effect.sync(() => state().caughtUp === size),
          250,
        )
        yield* ask(crowd, "leave")
        yield* kill("gateway")
        yield* restart("gateway")
        yield* awaitReady("gateway")
        const before = state().recovered
        yield* ask(crowd, "come")
        yield* eventually(
          `${size} subscribers have come back and resumed`,
          backWithinMillis * patience,
          Effect.sync(() => state().recovered - before >= size && state().caughtUp === size),
          250,
        )
        assert.deepEqual(state().faults, [])
        yield* ask(crowd, "leave")
      }),
  },
]
