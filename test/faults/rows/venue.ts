import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import type { Row, Scene } from "../support/Row.ts"

const lastsMillis = 20_000
/** Until a chain without new blocks makes a service unready, and a little more. */
const longerThanToldMillis = 45_000
const reorgs = 5
const deepest = 20

const during = (millis: number, inject: (scene: Scene) => Effect.Effect<unknown, unknown>) => (scene: Scene) =>
  Effect.gen(function* () {
    yield* inject(scene)
    yield* pause(millis)
    yield* scene.venue.heal
  })

const liesOfEverything = ["wrong_types", "truncated", "clock_skew"] as const

/** The venue and its node fail, and come back. */
export const venueFaults: ReadonlyArray<Row> = [
  {
    name: "the venue refuses everything for 45 s",
    within: 30,
    tells: { guilty: "sources", innocent: "postgres", withinSeconds: 40 },
    fault: during(longerThanToldMillis, ({ venue }) =>
      Effect.all([
        venue.injectEverywhere("http", { kind: "down" }),
        venue.injectEverywhere("socket", { kind: "down" }),
      ]),
    ),
  },
  {
    name: "the venue answers 3 s late for 20 s",
    within: 30,
    fault: during(lastsMillis, ({ venue }) => venue.injectEverywhere("http", { kind: "slow", delay_ms: 3_000 })),
  },
  {
    name: "the venue lies in a tenth of its answers for 20 s",
    within: 30,
    fault: during(lastsMillis, ({ venue }) =>
      Effect.forEach(liesOfEverything, (kind) =>
        Effect.all([
          venue.injectEverywhere("http", { kind, share: 0.1 }),
          venue.injectEverywhere("socket", { kind, share: 0.1 }),
        ]),
      ),
    ),
  },
  {
    name: "the chain reorganises five times",
    within: 30,
    fault: ({ venue, dice }) =>
      Effect.gen(function* () {
        for (let i = 0; i < reorgs; i++) {
          yield* venue.reorg(dice.between(1, deepest))
          yield* pause(dice.between(500, 5_000))
        }
      }),
  },
  {
    name: "the node goes back in time in half of its answers for 20 s",
    within: 30,
    fault: during(lastsMillis, ({ venue }) => venue.inject("rpc", "http", { kind: "behind", share: 0.5, blocks: 10 })),
  },
]
