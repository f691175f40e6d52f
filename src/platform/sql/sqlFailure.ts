import { Cause, type Duration, Effect, Schedule, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/unstable/sql/SqlError"
import { exitCodes } from "../process/exitCodes.ts"

/** The connection was lost during COMMIT: the transaction may or may not have been committed. */
export class CommitUnknown extends Schema.TaggedError<CommitUnknown>()("CommitUnknown", { cause: Schema.Defect() }) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return "the connection was lost during COMMIT; it is unknown whether the transaction was committed"
  }
}

/** No connection became free within the admission timeout. */
export class Saturated extends Schema.TaggedError<Saturated>()("Saturated", { waitedMillis: Schema.Number }) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    return `no database connection became free within ${this.waitedMillis} ms`
  }
}

export type TxError = SqlError | CommitUnknown | Saturated

const sqlState = (error: SqlError): string => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
}

/**
 * The underlying reason: sql-pg's own message says only "Query failed" or "Failed to connect".
 * Messages of the server and the system contain no passwords.
 */
export const describeSql = (error: SqlError): string => {
  const { cause } = error.reason
  const reason =
    cause instanceof AggregateError ? cause.errors.map(String).join("; ") : cause instanceof Error ? cause.message : ""
  const state = sqlState(error)
  return `Postgres: ${reason || error.message}${/^[0-9A-Z]{5}$/.test(state) ? ` (${state})` : ""}`
}

/** A message for any failure, with the underlying reason of a database error. */
export const describe = (error: unknown): string => {
  if (isSqlError(error)) return describeSql(error)
  if (error instanceof CommitUnknown && isSqlError(error.cause)) return `${error.message}: ${describeSql(error.cause)}`
  return error instanceof Error ? error.message : String(error)
}

/** Whether Postgres cancelled a statement that took longer than it may. */
export const isStatementTimeout = (error: unknown): boolean =>
  isSqlError(error) && error.reason._tag === "StatementTimeoutError"

/** Whether Postgres ended the transaction because it waited for one that waited for it: nothing was written. */
export const isDeadlock = (error: unknown): boolean => isSqlError(error) && sqlState(error) === "40P01"

/** Server restarting (57P01–57P03), out of connections or resources (53), connection failure (08). */
const transientStates = /^(57P0[123]|53|08)/

const isConnectionLoss = (error: SqlError) =>
  error.reason._tag === "ConnectionError" || /^(57P0|08)/.test(sqlState(error))

/** Whether a retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  isSqlError(error)
    ? error.reason.isRetryable || transientStates.test(sqlState(error))
    : error instanceof CommitUnknown || error instanceof Saturated

/**
 * sql-pg reports a failed COMMIT or ROLLBACK as a defect. Converts it to a typed error, so that `retry` and `catchTag`
 * see it. `bodyDone` distinguishes COMMIT from ROLLBACK: a failed ROLLBACK is secondary to the failure that caused it.
 */
export const reviveCommitFailure = <E>(cause: Cause.Cause<E>, bodyDone: boolean): Cause.Cause<E | TxError> => {
  const isSqlDefect = (reason: Cause.Reason<E>) => Cause.isDieReason(reason) && isSqlError(reason.defect)
  if (!cause.reasons.some(isSqlDefect)) return cause
  const rest = cause.reasons.filter((reason) => !isSqlDefect(reason))
  if (rest.length > 0) return Cause.fromReasons<E | TxError>(rest)
  const defects = cause.reasons.flatMap((r) => (Cause.isDieReason(r) && isSqlError(r.defect) ? [r.defect] : []))
  const error = defects[0] as SqlError
  return Cause.fail(bodyDone && isConnectionLoss(error) ? new CommitUnknown({ cause: error }) : error)
}

// Always with a delay: a retry in the same tick gets the same dead connection.
const backoff = Schedule.min([Schedule.exponential("20 millis", 2), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
)

/** Retries while the failure is transient, for at most `upTo` (default 10 s) of waiting. */
export const retryTransient =
  (upTo: Duration.Input = "10 seconds") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(effect, {
      while: isTransient,
      schedule: Schedule.max([backoff, Schedule.during(upTo)]),
    })
