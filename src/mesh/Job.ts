import type { Duration } from "effect"
import { Result, Schema } from "effect"
import * as Setting from "#src/platform/config/Setting.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** A failure that may pass: the job is retried on its schedule, or after `after`. */
export class Retryable extends Schema.TaggedError<Retryable>()("Retryable", {
  reason: Schema.String,
  after: Schema.optionalKey(Schema.Duration),
}) {
  override get message() {
    return this.reason
  }
}

export const retryable = (error: unknown): Retryable => new Retryable({ reason: describe(error) })

/** Too early: the job is delayed for `after` without using up an attempt. */
export class Postponed extends Schema.TaggedError<Postponed>()("Postponed", { after: Schema.Duration }) {}

/** A failure that will not pass: the job ends and keeps the reason. */
export class Permanent extends Schema.TaggedError<Permanent>()("Permanent", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Behaviour of the workers of one queue; each field is a setting `<job name>.<field>`. */
export interface JobSettings {
  readonly concurrency: Setting.Setting<number>
  readonly budget: Setting.Setting<Duration.Duration>
  readonly attempts: Setting.Setting<number>
  readonly backoff: Setting.Setting<ReadonlyArray<Duration.Duration>>
  readonly lock: Setting.Setting<Duration.Duration>
  readonly stall: Setting.Setting<Duration.Duration>
}

/**
 * A contract between those who enqueue and the workers. The name is the queue. Jobs with the same key are one job while
 * the first is waiting or running.
 */
export interface Job<P> {
  readonly name: string
  readonly encode: (payload: P) => Schema.Json
  /** Fails with what is wrong with the payload. */
  readonly decode: (data: unknown) => Result.Result<P, string>
  readonly key: (payload: P) => string
  /** A run is skipped while another with the same key is running, even on a worker that lost its lock. */
  readonly exclusive: boolean
  readonly settings: JobSettings
}

export interface JobDefaults {
  readonly concurrency?: number
  readonly budget?: Duration.Input
  readonly attempts?: number
  readonly backoff?: ReadonlyArray<Duration.Input>
  readonly lock?: Duration.Input
  readonly stall?: Duration.Input
}

export const make = <P>(options: {
  readonly name: string
  readonly payload: Schema.Codec<P, Schema.Json>
  readonly key: (payload: P) => string
  readonly exclusive?: boolean
  readonly defaults?: JobDefaults
}): Job<P> => {
  const { name, defaults = {} } = options
  const decode = Schema.decodeUnknownResult(options.payload)
  return {
    name,
    encode: Schema.encodeSync(options.payload),
    decode: (data) => Result.mapError(decode(data), (error) => `the payload does not decode: ${error.message}`),
    key: options.key,
    exclusive: options.exclusive ?? false,
    settings: {
      concurrency: Setting.int(`${name}.concurrency`, {
        default: defaults.concurrency ?? 4,
        min: 1,
        max: 1000,
        live: true,
        doc: `Jobs of ${name} that one process runs at a time`,
      }),
      budget: Setting.duration(`${name}.budget`, {
        default: defaults.budget ?? "30 seconds",
        min: "10 millis",
        max: "1 hour",
        live: true,
        doc: `Longest run of one ${name} job before it is cut off and retried`,
      }),
      attempts: Setting.int(`${name}.attempts`, {
        default: defaults.attempts ?? 5,
        min: 1,
        max: 1000,
        live: true,
        doc: `Attempts of one ${name} job before it fails for good`,
      }),
      backoff: Setting.delays(`${name}.backoff`, {
        default: defaults.backoff ?? ["1 second", "5 seconds", "30 seconds"],
        live: true,
        doc: `Delays between the attempts of a failing ${name} job`,
      }),
      // With `stall`, another worker takes over from a killed one within 8 s.
      lock: Setting.duration(`${name}.lock`, {
        default: defaults.lock ?? "6 seconds",
        min: "1 second",
        max: "10 minutes",
        doc: `How long a silent worker keeps its ${name} job`,
      }),
      stall: Setting.duration(`${name}.stall`, {
        default: defaults.stall ?? "2 seconds",
        min: "500 millis",
        max: "10 minutes",
        doc: `How often workers check for ${name} jobs of dead workers`,
      }),
    },
  }
}

export const settingsOf = (job: Pick<Job<never>, "settings">): ReadonlyArray<Setting.AnySetting> =>
  Object.values(job.settings)
