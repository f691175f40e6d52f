import { Cause, Effect, Exit, Option } from "effect"
import { describe } from "../sql/sqlFailure.ts"
import { redact } from "../text/redact.ts"
import { fairScheduler } from "./fairScheduler.ts"

/** What an exit code means; the README lists them. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  badUsage: 2,
  storeUnavailable: 3,
  portTaken: 4,
  drainCutShort: 5,
  forced: 130,
} as const

const byTag: Readonly<Record<string, number>> = {
  BadSettings: exitCodes.badUsage,
  TuningRefused: exitCodes.badUsage,
  SimulatorAlone: exitCodes.badUsage,
  OtherWorld: exitCodes.badUsage,
  WorldInUse: exitCodes.badUsage,
  FillInRefused: exitCodes.badUsage,
  NothingToRebuild: exitCodes.badUsage,
  OtherSecret: exitCodes.badUsage,
  NoSuchAccount: exitCodes.badUsage,
  NoSuchKey: exitCodes.badUsage,
  KeyRevoked: exitCodes.badUsage,
  TooManyKeys: exitCodes.badUsage,
  KeysCommandRefused: exitCodes.badUsage,
  NoSuchWebhook: exitCodes.badUsage,
  SecretLost: exitCodes.badUsage,
  WebhooksCommandRefused: exitCodes.badUsage,
  HistoryUnreadable: exitCodes.unexpected,
  SimulatorEnded: exitCodes.unexpected,
  ShowHelp: exitCodes.badUsage,
  StoreUnavailable: exitCodes.storeUnavailable,
  StoreUnreachable: exitCodes.storeUnavailable,
  UnsupportedStore: exitCodes.storeUnavailable,
  SqlError: exitCodes.storeUnavailable,
  MigrationError: exitCodes.storeUnavailable,
  RedisFailure: exitCodes.storeUnavailable,
  CommitUnknown: exitCodes.storeUnavailable,
  Saturated: exitCodes.storeUnavailable,
  UpstreamFailure: exitCodes.unexpected,
  RpcRefusal: exitCodes.unexpected,
  PortTaken: exitCodes.portTaken,
  CannotListen: exitCodes.portTaken,
  Unhealthy: exitCodes.unexpected,
}

const tagOf = (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exitCodes.done
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return byTag[tagOf(error)] ?? exitCodes.unexpected
}

/** One plain sentence for what a person can mend, the whole cause for what is our fault, nothing after the help page. */
const explain = (exit: Exit.Failure<unknown, unknown>): string => {
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (tagOf(error) === "ShowHelp") return ""
  return tagOf(error) in byTag && error instanceof Error
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
  // Whoever read our output may leave; that is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)

  // A child of another Presage ends with it, however that ends.
  if (process.connected) process.once("disconnect", stop)

  // npm forwards signals, but not its own violent death. The timer also keeps an idle process alive.
  const parent = process.ppid
  const underNpm = process.env.npm_lifecycle_event !== undefined
  const watch = setInterval(() => underNpm && process.ppid !== parent && stop(), 500)

  fiber.addObserver((exit) => {
    clearInterval(watch)
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) process.stderr.write(redact(explain(exit)))
    process.exit(codeOf(exit))
  })
}
