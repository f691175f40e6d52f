import { type Context, Metric } from "effect"

/** The end of one run of a job. */
export type RunStatus =
  | "done"
  | "retried"
  | "failed"
  | "parked"
  | "defect"
  | "cancelled"
  | "handed_back"
  | "overlapped"
  | "postponed"

// Attributes go to the constructor because `Metric.withAttributes` looks the metric up at every update.
const counterFor = (queue: string, outcome: RunStatus) =>
  Metric.counter("presage_jobs_total", {
    description: "Job runs by queue and outcome",
    incremental: true,
    attributes: { queue, outcome },
  })
const secondsFor = (queue: string) =>
  Metric.histogram("presage_job_seconds", {
    description: "Duration of one job run",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 20 }),
    attributes: { queue },
  })
const latenessFor = (queue: string) =>
  Metric.histogram("presage_duty_lateness_seconds", {
    description: "Delay between a duty's slot and the start of its run",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 18 }),
    attributes: { queue },
  })

/** The metrics of one queue, created once so that the hot path only adds numbers. */
export const jobMetrics = (queue: string, context: Context.Context<never>) => {
  const byOutcome = new Map<RunStatus, Metric.Counter<number>>()
  const took = secondsFor(queue)
  const late = latenessFor(queue)
  return {
    ran: (outcome: RunStatus, startedAt: number) => {
      let counter = byOutcome.get(outcome)
      if (counter === undefined) {
        counter = counterFor(queue, outcome)
        byOutcome.set(outcome, counter)
      }
      counter.updateUnsafe(1, context)
      took.updateUnsafe((performance.now() - startedAt) / 1000, context)
    },
    late: (millis: number) => late.updateUnsafe(millis / 1000, context),
  }
}
