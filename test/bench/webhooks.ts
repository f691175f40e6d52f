import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { blackHole } from "./webhooks/blackHole.ts"
import { cadenceLateness } from "./webhooks/cadences.ts"
import { matching } from "./webhooks/matching.ts"
import { throughput } from "./webhooks/throughput.ts"

/** What it takes to find whom to tell and to tell them, and how late they hear of it. */
export const webhooks: Bench = Effect.gen(function* () {
  const sent = yield* throughput
  const matched = yield* matching
  const late = yield* cadenceLateness
  const hole = yield* blackHole
  return {
    lines: [...sent.lines, ...matched.lines, ...late.lines, ...hole.lines],
    notes: [
      `${sent.faults + matched.faults} deliveries missing, twice or not signed as they should be`,
      `before that, a fact waits for 3 blocks on top of it: here ${Math.round(late.confirmationWait)} ms, on a chain of 2 s blocks 6 s`,
      "the receivers, the writer of the facts, Postgres and Redis share the two cores with all of them",
    ],
    rounds: { sent, matched, late, hole },
  }
})
