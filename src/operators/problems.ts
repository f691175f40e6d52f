import { Schema } from "effect"
import type { QueueCounts } from "#src/mesh/Queues.ts"
import type { ReportingProcess } from "#src/processes/Processes.ts"
import type { SourceStatus, SourcesReport } from "#src/status/model.ts"
import type { DeliveryTotals } from "#src/webhooks/delivery/OperatorStore.ts"

export const sections = ["sources", "actors", "jobs", "events", "deliveries", "processes", "checks", "stores"] as const

/** Something that an operator should know or act on. */
export const Problem = Schema.Struct({
  level: Schema.Literals(["critical", "warning", "info"]),
  section: Schema.Literals(sections).annotate({ description: "Where to look" }),
  text: Schema.String,
})
export type Problem = typeof Problem.Type

const order = ["critical", "warning", "info"] as const

const many = (count: number, one: string, several = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : several}`

const span = (seconds: number) =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`

const sourceProblem = ({ source, state, age_seconds: age, lag, details }: SourceStatus): ReadonlyArray<Problem> => {
  // A source without its settings is not wanted.
  if ((details["missing_settings"] ?? null) !== null) return []
  const section = "sources"
  const old = age === null ? "" : `: its newest data are ${span(age)} old`
  switch (state) {
    case "late":
      return [{ level: "warning", section, text: `${source} is late${old || `: ${lag ?? 0} are still to be read`}` }]
    case "stopped":
      return [{ level: "critical", section, text: `No process follows ${source}${old}` }]
    case "loading":
      return [{ level: "info", section, text: `${source} is loading for the first time` }]
    case "unknown":
      return [{ level: "warning", section, text: `No process has ever reported ${source}` }]
    case "ok":
      return []
  }
}

export const sourceProblems = ({ sources, circuits_open, balances }: SourcesReport): ReadonlyArray<Problem> => [
  ...sources.flatMap(sourceProblem),
  ...circuits_open.map(
    (upstream): Problem => ({
      level: "warning",
      section: "sources",
      text: `Calls to ${upstream} pause after repeated failures`,
    }),
  ),
  ...(balances.state === "different"
    ? [
        {
          level: "critical",
          section: "sources",
          text: `${many(balances.differences, "balance differs", "balances differ")} from the node`,
        } as const,
      ]
    : []),
]

/** More than a worker handles in a minute. */
const longQueue = 10_000

export const queueProblems = (queues: ReadonlyArray<QueueCounts>): ReadonlyArray<Problem> =>
  queues.flatMap(
    ({ queue, waiting, failed }): ReadonlyArray<Problem> => [
      ...(failed > 0
        ? [{ level: "warning", section: "jobs", text: `${many(failed, "job")} of ${queue} failed for good` } as const]
        : []),
      ...(waiting > longQueue
        ? [{ level: "warning", section: "jobs", text: `${many(waiting, "job")} of ${queue} wait` } as const]
        : []),
    ],
  )

const neededRoles = ["worker", "scheduler", "gateway"]

/** Above this, requests and sockets time out. */
const lateLoopMillis = 500

export const processProblems = (processes: ReadonlyArray<ReportingProcess>, now: number): ReadonlyArray<Problem> => {
  const running = processes.filter(({ isSilent }) => !isSilent)
  const roles = new Set(running.flatMap((each) => each.roles))
  const versions = new Set(running.map(({ version }) => version))
  const section = "processes"
  return [
    ...processes
      .filter(({ isSilent }) => isSilent)
      .map(
        ({ id, roles: had, at }): Problem => ({
          level: "critical",
          section,
          text: `Process ${id} (${had.join(", ")}) has not reported for ${span((now - at) / 1000)}`,
        }),
      ),
    ...neededRoles
      .filter((role) => !roles.has(role) && !roles.has("all"))
      .map((role): Problem => ({ level: "critical", section, text: `No process has the role ${role}` })),
    ...running
      .filter(({ sample }) => sample.lag > lateLoopMillis)
      .map(
        ({ id, sample }): Problem => ({
          level: "warning",
          section,
          text: `The event loop of ${id} was ${Math.round(sample.lag)} ms late`,
        }),
      ),
    ...(versions.size > 1
      ? [{ level: "warning", section, text: `Several versions run: ${[...versions].sort().join(", ")}` } as const]
      : []),
  ]
}

/** Deliveries are due at once or at a retry; workers send them within seconds. */
const overdueSeconds = 60

export const deliveryProblems = (
  { due, oldestDueAt, disabled }: DeliveryTotals,
  now: number,
): ReadonlyArray<Problem> => {
  const overdue = oldestDueAt === null ? 0 : (now - oldestDueAt.getTime()) / 1000
  return [
    ...(overdue > overdueSeconds
      ? [
          {
            level: "warning",
            section: "deliveries",
            text: `${many(due, "delivery is", "deliveries are")} overdue, the oldest by ${span(overdue)}`,
          } as const,
        ]
      : []),
    ...(disabled > 0
      ? [
          {
            level: "warning",
            section: "deliveries",
            text: `${many(disabled, "webhook is", "webhooks are")} disabled`,
          } as const,
        ]
      : []),
  ]
}

/** The worst first; otherwise as given. */
export const worstFirst = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
