import type { Duration } from "effect"
import * as Setting from "#src/platform/config/Setting.ts"
import type { Job } from "./Job.ts"

/** A recurring job: a cadence and the job to enqueue at each tick. */
export interface Duty<P> {
  /** Names the schedule, its lease and its cadence setting. Several duties may enqueue the same job. */
  readonly name: string
  readonly job: Job<P>
  readonly payload: P
  readonly every: Setting.Setting<Duration.Duration>
}

export const make = <P>(options: {
  readonly name: string
  readonly job: Job<P>
  readonly payload: P
  readonly every: Duration.Input
}): Duty<P> => ({
  name: options.name,
  job: options.job,
  payload: options.payload,
  every: Setting.duration(`${options.name}.every`, {
    default: options.every,
    min: "100 millis",
    max: "7 days",
    live: true,
    doc: `Time between two ticks of ${options.name}`,
  }),
})

// biome-ignore lint/suspicious/noExplicitAny: a list of duties holds payloads of every type
export type AnyDuty = Duty<any>
