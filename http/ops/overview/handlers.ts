import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { Queues } from "#src/mesh/Queues.ts"
import * as problems from "#src/operators/problems.ts"
import { version } from "#src/platform/process/version.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { redact } from "#src/platform/text/redact.ts"
import { Processes } from "#src/processes/Processes.ts"
import { Runs } from "#src/repair/runs/Runs.ts"
import { Status } from "#src/status/Status.ts"
import * as OperatorStore from "#src/webhooks/delivery/OperatorStore.ts"
import { OperatorApi } from "../Api.ts"
import { iso } from "../shapes.ts"
import { runProblems } from "./runProblems.ts"

/** Longer than a busy store takes; the page asks again in a few seconds anyway. */
const patience = "3 seconds"

/** A part of the overview, or why a store did not give it. */
const part = <A, E>(work: Effect.Effect<A, E>) =>
  work.pipe(
    Effect.timeout(patience),
    Effect.match({
      onSuccess: (value) => ({ value, trouble: undefined }),
      onFailure: (error) => ({ value: undefined, trouble: redact(describe(error)) }),
    }),
  )

const storeProblems = (troubles: ReadonlyArray<string | undefined>): ReadonlyArray<problems.Problem> =>
  [...new Set(troubles)].flatMap((text) =>
    text === undefined ? [] : [{ level: "critical", section: "stores", text: `A store does not answer: ${text}` }],
  )

export const OverviewHandlers = HttpApiBuilder.group(
  OperatorApi,
  "overview",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* Status
    const queues = yield* Queues
    const processes = yield* Processes
    const log = yield* EventLog
    const tail = yield* EventTail
    const runs = yield* Runs
    const { reads } = yield* Postgres

    const overview = Effect.gen(function* () {
      const [sources, counts, running, deliveries, head, last, checks] = yield* Effect.all(
        [
          part(status.sources),
          part(queues.counts),
          part(processes.list),
          part(OperatorStore.totals(reads)),
          part(log.head),
          part(tail.last),
          part(runs.list),
        ],
        { concurrency: "unbounded" },
      )
      const now = yield* Clock.currentTimeMillis
      const sum = (state: "waiting" | "failed") => (counts.value ?? []).reduce((total, each) => total + each[state], 0)
      return {
        version,
        at: iso(now),
        problems: problems.worstFirst([
          ...storeProblems([sources, counts, running, deliveries, head, last, checks].map(({ trouble }) => trouble)),
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
    })
    return handlers.handleAll({ overview: () => overview })
  }),
)
