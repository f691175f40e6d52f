import { Duration, Option, Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"

/** Why a request to an upstream failed. */
const reasons = [
  "unreachable",
  "timeout",
  "rate-limited",
  "status",
  "too-large",
  "malformed",
  "circuit-open",
  "silent",
  "closed",
  "refused",
] as const

/** Statuses below 500 that pass: a timeout, and an order book engine that restarts. */
const passing: ReadonlySet<number | undefined> = new Set([408, 425])

export class UpstreamFailure extends Schema.TaggedError<UpstreamFailure>()("UpstreamFailure", {
  upstream: Schema.String,
  reason: Schema.Literals(reasons),
  detail: Schema.String,
  status: Schema.optionalKey(Schema.Number),
  retryAfter: Schema.optionalKey(Schema.Duration),
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return `${this.upstream}: ${this.reason}${this.status === undefined ? "" : ` ${this.status}`}: ${this.detail}`
  }

  /** Whether a retry may succeed. It may for undecodable responses: an overloaded service truncates them. */
  get isTransient(): boolean {
    if (this.reason === "too-large") return false
    return this.reason !== "status" || (this.status ?? 0) >= 500 || passing.has(this.status)
  }

  /** Whether it concerns the upstream as a whole, not just one request. */
  get isOutage(): boolean {
    return this.isTransient && this.reason !== "circuit-open" && this.reason !== "rate-limited"
  }
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Seconds since 1970. */
const readReset = (header: Headers[string], now: number): Option.Option<Duration.Duration> =>
  typeof header === "string" && /^\d{9,11}$/.test(header)
    ? Option.some(Duration.millis(Math.max(0, Math.min(Number(header) * 1000 - now, 3_600_000))))
    : Option.none()

/** Seconds, or a date. */
const readRetryAfter = (header: Headers[string], now: number): Option.Option<Duration.Duration> => {
  if (typeof header !== "string") return Option.none()
  const seconds = Number(header)
  if (Number.isFinite(seconds) && seconds >= 0) return Option.some(Duration.seconds(Math.min(seconds, 3600)))
  const date = Date.parse(header)
  return Number.isNaN(date) ? Option.none() : Option.some(Duration.millis(Math.max(0, Math.min(date - now, 3_600_000))))
}

/** How long to wait after a rate limit; some services send only the time at which their window ends. */
export const readPause = (headers: Headers, now: number): Option.Option<Duration.Duration> =>
  Option.orElse(readRetryAfter(headers["retry-after"], now), () => readReset(headers["x-rate-limit-reset"], now))
