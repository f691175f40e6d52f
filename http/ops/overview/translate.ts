import { type Effect, Option, Schema } from "effect"
import type { Queues } from "#src/mesh/Queues.ts"
import * as problems from "#src/operators/problems.ts"
import { version } from "#src/platform/process/version.ts"
import type { Processes } from "#src/processes/Processes.ts"
import { type Run, VerifyResult } from "#src/repair/runs/model.ts"
import type { Runs } from "#src/repair/runs/Runs.ts"
import type { Status } from "#src/status/Status.ts"
import type { DeliveryTotals } from "#src/webhooks/delivery/OperatorStore.ts"
import { iso } from "../shapes.ts"

/** A part of the overview, or why a store did not give it. */
export interface Part<A> {
  readonly value: A | undefined
  readonly trouble: string | undefined
}

interface Parts {
  readonly sources: Part<Effect.Success<Status["Service"]["sources"]>>
  readonly counts: Part<Effect.Success<Queues["Service"]["counts"]>>
  readonly running: Part<Effect.Success<Processes["Service"]["list"]>>
  readonly deliveries: Part<DeliveryTotals>
  readonly head: Part<bigint>
  readonly last: Part<bigint | undefined>
  readonly checks: Part<Effect.Success<Runs["Service"]["list"]>>
}

const storeProblems = (troubles: ReadonlyArray<string | undefined>): ReadonlyArray<problems.Problem> =>
  [...new Set(troubles)].flatMap((text) =>
    text === undefined ? [] : [{ level: "critical", section: "stores", text: `A store does not answer: ${text}` }],
  )

const decodeResult = Schema.decodeUnknownOption(VerifyResult)

/** The last verification says whether the ledger is sound. Runs are the newest first. */
const runProblems = (runs: ReadonlyArray<Run>): ReadonlyArray<problems.Problem> => {
  const last = runs.find(({ kind, state }) => kind === "verify" && state === "done")
  const wrong = Option.match(decodeResult(last?.result), {
    onNone: () => [],
    onSome: ({ checks }) => checks.filter(({ ok }) => !ok).map(({ check }) => check),
  })
  if (wrong.length === 0) return []
  return [{ level: "critical", section: "checks", text: `The last verification found errors: ${wrong.join(", ")}` }]
}

export const shownOverview = (parts: Parts, now: number) => {
  const { sources, counts, running, deliveries, head, last, checks } = parts
  const sum = (state: "waiting" | "failed") => (counts.value ?? []).reduce((total, each) => total + each[state], 0)
  return {
    version,
    at: iso(now),
    problems: problems.worstFirst([
      ...storeProblems(Object.values(parts).map(({ trouble }: Part<unknown>) => trouble)),
      ...(running.value === undefined ? [] : problems.processProblems(running.value, now)),
      ...(sources.value === undefined ? [] : problems.sourceProblems(sources.value)),
      ...(counts.value === undefined ? [] : problems.queueProblems(counts.value)),
      ...(deliveries.value === undefined ? [] : problems.deliveryProblems(deliveries.value, now)),
      ...runProblems(checks.value ?? []),
    ]),
    figures: {
      events_head: Number(head.value ?? 0n),
      relay_lag: Math.max(0, Number((head.value ?? 0n) - (last.value ?? head.value ?? 0n))),
      jobs_waiting: sum("waiting"),
      jobs_failed: sum("failed"),
      deliveries_pending: deliveries.value?.pending ?? 0,
      processes: (running.value ?? []).filter(({ isSilent }) => !isSilent).length,
    },
  }
}
