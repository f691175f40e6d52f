import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { blackHole } from "./webhooks/blackHole.ts"
import { cadenceLateness } from "./webhooks/cadences.ts"
import { matching } from "./webhooks/matching.ts"
import { throughput } from "./webhooks/throughput.ts"

/** Cost of matching events to webhooks and of sending deliveries, and their latency. */
export const webhooks: Bench = Effect.gen(function* () {
  const sent = yield* throughput
  const matched = yield* matching
  const late = yield* cadenceLateness
  const hole = yield* blackHole
  return {
    lines: [...sent.lines, ...matched.lines, ...late.lines, ...hole.lines],
    notes: [
      `${sent.faults + matched.faults} deliveries missing, duplicated or with an invalid signature`,
      `before that, a fact waits for 3 confirmations: ${Math.round(late.confirmationWait)} ms here, 6 s on a chain with 2 s blocks`,
      "the receivers, the ledger writer, Postgres and Redis share the two cores with the senders",
    ],
    rounds: { sent, matched, late, hole },
  }
})
