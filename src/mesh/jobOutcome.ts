import { UnrecoverableError } from "bullmq"
import { Cause, Duration, Exit, Option } from "effect"
import { type Permanent, Postponed, Retryable } from "./Job.ts"
import type { Outcome } from "./JobMetrics.ts"

/** Why a run was ended from outside. */
export type Stop = "budget" | "lock lost" | "handed back"

/** BullMQ's "try again", with the wait that the handler asked for. */
export class RetryLater extends Error {
  readonly after: Option.Option<Duration.Duration>
  constructor(message: string, after: Option.Option<Duration.Duration> = Option.none()) {
    super(message)
    this.after = after
  }
}

/** What BullMQ is told about a run: nothing when it is done, else an error whose kind says what comes next. */
export interface Verdict {
  readonly outcome: Outcome
  readonly error?: Error
  /** Put back at no attempt's cost: for so long, or where nobody asked for a time, as after a first failure. */
  readonly postponed?: Option.Option<Duration.Duration>
}

export interface Circumstances {
  readonly stop: Stop | undefined
  readonly budget: Duration.Duration
  /** A tick that found the previous one still going is over; another one follows anyway. */
  readonly isTick: boolean
}

/** How a run may fail. */
export type Failure = Retryable | Permanent | Postponed

/** How the end of a fiber, which tells whether it ran at all, becomes the fate of the job. */
export const judge = (exit: Exit.Exit<boolean, Failure>, { stop, budget, isTick }: Circumstances): Verdict => {
  if (Exit.isSuccess(exit)) {
    if (exit.value) return { outcome: "done" }
    return isTick ? { outcome: "overlapped" } : { outcome: "overlapped", postponed: Option.none() }
  }
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) {
    if (failure.value instanceof Postponed) return { outcome: "postponed", postponed: Option.some(failure.value.after) }
    return failure.value instanceof Retryable
      ? { outcome: "retried", error: new RetryLater(failure.value.reason, Option.fromUndefinedOr(failure.value.after)) }
      : { outcome: "failed", error: new UnrecoverableError(failure.value.reason) }
  }
  switch (stop) {
    case "handed back":
      return { outcome: "handed_back" }
    case "lock lost":
      return { outcome: "cancelled", error: new RetryLater("the worker lost the job's lock") }
    case "budget":
      return { outcome: "retried", error: new RetryLater(`cut off after its budget of ${Duration.format(budget)}`) }
  }
  return { outcome: "defect", error: new RetryLater(`defect: ${Cause.squash(exit.cause)}`) }
}

/** The wait before the next run: what the failure asked for, else the schedule's, whose last entry repeats. */
export const waitBefore = (
  schedule: ReadonlyArray<Duration.Duration>,
  attemptsMade: number,
  error: Error | undefined,
): Duration.Duration => {
  const scheduled = schedule[Math.min(attemptsMade, schedule.length) - 1] ?? Duration.zero
  return error instanceof RetryLater ? Option.getOrElse(error.after, () => scheduled) : scheduled
}
