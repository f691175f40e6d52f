import { type Context, Metric } from "effect"

/** How one run of a job ended. */
export type Outcome =
  | "done"
  | "retried"
  | "failed"
  | "parked"
  | "defect"
  | "cancelled"
  | "handed_back"
  | "overlapped"
  | "postponed"

// The attributes go to the constructor: `Metric.withAttributes` would look the metric up by them at every update.
const counterFor = (queue: string, outcome: Outcome) =>
  Metric.counter("presage_jobs_total", {
    description: "Job runs by queue and outcome",
    incremental: true,
    attributes: { queue, outcome },
  })
const secondsFor = (queue: string) =>
  Metric.histogram("presage_job_seconds", {
    description: "Time of one job run",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 20 }),
    attributes: { queue },
  })
const latenessFor = (queue: string) =>
  Metric.histogram("presage_duty_lateness_seconds", {
    description: "How long after its slot a scheduled tick began",
    boundaries: Metric.exponentialBoundaries({ start: 0.001, factor: 2, count: 18 }),
    attributes: { queue },
  })

/** The metrics of one queue, bound once: the hot path only adds numbers. */
export const jobMetrics = (queue: string, context: Context.Context<never>) => {
  const byOutcome = new Map<Outcome, Metric.Counter<number>>()
  const took = secondsFor(queue)
  const late = latenessFor(queue)
  return {
    ran: (outcome: Outcome, startedAt: number) => {
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
