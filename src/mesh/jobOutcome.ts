import { UnrecoverableError } from "bullmq"
import { Cause, Duration, Exit, Option } from "effect"
import { type Permanent, Postponed, Retryable } from "./Job.ts"
import type { RunStatus } from "./JobMetrics.ts"

/** Why a run was interrupted. */
export type StopReason = "budget" | "lock lost" | "handed back"

/** Tells BullMQ to retry, with the delay that the handler requested. */
export class RetryLater extends Error {
  readonly after: Option.Option<Duration.Duration>
  constructor(message: string, after: Option.Option<Duration.Duration> = Option.none()) {
    super(message)
    this.after = after
  }
}

/** What is reported to BullMQ: no error when the run is done, else an error whose class decides what comes next. */
export interface JobOutcome {
  readonly status: RunStatus
  readonly error?: Error
  /** Delayed without using up an attempt: for this long, or for the first delay of the schedule. */
  readonly postponed?: Option.Option<Duration.Duration>
}

export interface RunConditions {
  readonly stop: StopReason | undefined
  readonly budget: Duration.Duration
  /** A tick that overlaps the previous one is dropped; the next one follows anyway. */
  readonly isTick: boolean
}

/** Typed failures of a handler. */
export type JobFailure = Retryable | Permanent | Postponed

/** Maps the exit of a run to the outcome of its job. The exit's value is false when the run was skipped. */
export const outcomeOf = (
  exit: Exit.Exit<boolean, JobFailure>,
  { stop, budget, isTick }: RunConditions,
): JobOutcome => {
  if (Exit.isSuccess(exit)) {
    if (exit.value) return { status: "done" }
    return isTick ? { status: "overlapped" } : { status: "overlapped", postponed: Option.none() }
  }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) {
    if (failure.value instanceof Postponed) return { status: "postponed", postponed: Option.some(failure.value.after) }
    return failure.value instanceof Retryable
      ? { status: "retried", error: new RetryLater(failure.value.reason, Option.fromUndefinedOr(failure.value.after)) }
      : { status: "failed", error: new UnrecoverableError(failure.value.reason) }
  }
  switch (stop) {
    case "handed back":
      return { status: "handed_back" }
    case "lock lost":
      return { status: "cancelled", error: new RetryLater("the worker lost the job's lock") }
    case "budget":
      return { status: "retried", error: new RetryLater(`interrupted after its budget of ${Duration.format(budget)}`) }
  }
  return { status: "defect", error: new RetryLater(`defect: ${Cause.squash(exit.cause)}`) }
}

/** The delay before the next attempt: the one the failure requested, else the schedule's, whose last entry repeats. */
export const waitBefore = (
  schedule: ReadonlyArray<Duration.Duration>,
  attemptsMade: number,
  error: Error | undefined,
): Duration.Duration => {
  const scheduled = schedule[Math.min(attemptsMade, schedule.length) - 1] ?? Duration.zero
  return error instanceof RetryLater ? Option.getOrElse(error.after, () => scheduled) : scheduled
}
