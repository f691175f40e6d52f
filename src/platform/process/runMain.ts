import { Cause, Effect, Exit, Option } from "effect"
import { describe } from "../sql/sqlFailure.ts"
import { redact } from "../text/redact.ts"
import { exitCodes } from "./exitCodes.ts"
import { fairScheduler } from "./schedulers.ts"

/** Expected failures of libraries; our own errors carry their exit code. */
const libraryCodes: Readonly<Record<string, number>> = {
  ShowHelp: exitCodes.badUsage,
  SqlError: exitCodes.storeUnavailable,
  MigrationError: exitCodes.storeUnavailable,
}

const tagOf = (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""

/** Undefined for an unexpected failure. */
const expectedCode = (error: unknown): number | undefined =>
  typeof error === "object" && error !== null && "exitCode" in error
    ? Number(error.exitCode)
    : libraryCodes[tagOf(error)]

const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exitCodes.done
  return expectedCode(Option.getOrUndefined(Cause.findErrorOption(exit.cause))) ?? exitCodes.unexpected
}

/** One sentence for an expected failure, the full cause for others, nothing after the help page. */
const explain = (exit: Exit.Failure<unknown, unknown>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (tagOf(error) === "ShowHelp") return ""
  return expectedCode(error) !== undefined && error instanceof Error
    ? `presage: ${describe(error)}\n`
    : `presage: stopped by an unexpected failure\n${Cause.pretty(exit.cause)}\n`
}

/** Runs the program: the first signal drains it, the second ends it at once. */
export const runMain = (program: Effect.Effect<unknown, unknown>) => {
  const fiber = Effect.runFork(program, { scheduler: fairScheduler })
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    fiber.interruptUnsafe()
  }
  const onSignal = () => (stopping ? process.exit(exitCodes.forced) : stop())
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)
  process.on("SIGHUP", onSignal)
  // A closed output pipe must not stop the process.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)

  // A child process ends with its parent, however the parent ends.
  if (process.connected) process.once("disconnect", stop)

  // npm forwards signals but not its own SIGKILL. The timer also keeps an idle process alive.
  const parent = process.ppid
  const underNpm = process.env.npm_lifecycle_event !== undefined
  const watch = setInterval(() => underNpm && process.ppid !== parent && stop(), 500)

  fiber.addObserver((exit) => {
    clearInterval(watch)
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) process.stderr.write(redact(explain(exit)))
    process.exit(exitCodeOf(exit))
  })
}
