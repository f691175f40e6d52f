import { Effect, type Redacted, type Scope, Semaphore } from "effect"
import { logSize, readLogFrom, rotateLog } from "./directory.ts"
import { dataInUse, type LaunchOptions, launchServer, type ServerProcess } from "./keeper.ts"
import { freePort, isFree } from "./ports.ts"
import { childrenOf, isAlive, sendSignal } from "./processes.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { pause, poll } from "./waiting.ts"

/** The differences between Postgres and Redis. */
export interface ServerPlan extends Omit<LaunchOptions, "command" | "store"> {
  readonly store: "postgres" | "redis"
  readonly dataDir: string
  readonly url: (port: number) => Redacted.Redacted<string>
  /** Runs before every start: cleans up after an earlier run and returns the command to run. */
  readonly prepare: (port: number) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  readonly isReady: (port: number, pid: number) => Effect.Effect<boolean>
  /** Repairs what it can from the log of a failed start; returns whether to try again. */
  readonly repair: (log: string) => Effect.Effect<boolean>
}

export interface RunningServer {
  readonly url: Redacted.Redacted<string>
  readonly port: number
  readonly dataDir: string
  /** Changes with every restart; undefined while the server is down. */
  readonly pid: Effect.Effect<number | undefined>
  /** Signals the server and its child processes: SIGSTOP freezes all of them, SIGCONT resumes them. */
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Sends SIGKILL and waits for the exit. */
  readonly kill: Effect.Effect<void>
  /** Stops the server gracefully; a supervised server starts again. */
  readonly stop: Effect.Effect<void>
  /** Starts the server again on the same port and data; does nothing while it runs. */
  readonly start: Effect.Effect<void, StoreUnavailable>
}

const startDeadline = 120_000
const retryMillis = 20_000
const names = { postgres: "Postgres", redis: "Redis" }
const variables = { postgres: "DATABASE_URL", redis: "REDIS_URL" }

class StartFailed {
  readonly _tag = "StartFailed"
  readonly code: number
  readonly log: string
  constructor(code: number, log: string) {
    this.code = code
    this.log = log
  }
}

const failureOf = (starting: Effect.Effect<void, StartFailed | StoreUnavailable>) =>
  starting.pipe(
    Effect.as(undefined),
    Effect.catchTag("StartFailed", (failed) => Effect.succeed(failed)),
  )

const explain = (plan: ServerPlan, { code, log }: StartFailed) => {
  const name = names[plan.store]
  if (code === dataInUse)
    return `${plan.dataDir} is in use by another ${name}, perhaps in another container: stop it or choose another directory.`
  if (/No space left on device|Disk quota exceeded/i.test(log))
    return `${name} cannot start because the disk is full: free some space for ${plan.dataDir} and start again.`
  const lines = log.trim().split("\n")
  const reason = lines.findLast((line) => /FATAL|PANIC|error|cannot|can't|failed/i.test(line)) ?? lines.at(-1) ?? ""
  return `${name} failed to start (${reason.replace(/^.*?(FATAL|PANIC):\s*/, "").trim() || `exit code ${code}`}). Its log is ${plan.logFile}. Alternatively, set ${variables[plan.store]} to a ${name} you run.`
}

/** Runs a server until the scope closes; with `supervise` it is restarted after a crash. */
export const runServer = Effect.fnUntraced(function* (
  plan: ServerPlan,
  options: { readonly port?: number; readonly preferredPort?: number; readonly supervise?: boolean },
): Effect.fn.Return<RunningServer, StoreUnavailable, Scope.Scope> {
  let current: ServerProcess | undefined
  const turn = yield* Semaphore.make(1)
  yield* rotateLog(plan.store, plan.logFile)

  const attempt = Effect.fnUntraced(function* (port: number): Effect.fn.Return<void, StoreUnavailable | StartFailed> {
    const command = yield* plan.prepare(port)
    const logStart = logSize(plan.logFile)
    const server = yield* launchServer({ ...plan, command })
    current = server
    const result = yield* poll(
      Effect.gen(function* () {
        if (server.pid === undefined || server.hasExited()) return "ended" as const
        if (!isAlive(server.pid)) return undefined
        return (yield* plan.isReady(port, server.pid)) ? ("ready" as const) : undefined
      }),
      { forMillis: startDeadline },
    )
    if (result === "ready") return
    yield* Effect.promise(server.stop)
    const code = yield* Effect.promise(() => server.exited)
    return yield* Effect.fail(new StartFailed(code, readLogFrom(plan.logFile, logStart)))
  })

  const startOn = Effect.fnUntraced(function* (port: number): Effect.fn.Return<void, StartFailed | StoreUnavailable> {
    const deadline = performance.now() + retryMillis
    while (true) {
      const failure = yield* failureOf(attempt(port))
      if (failure === undefined) return
      const again = failure.code === dataInUse || (yield* plan.repair(failure.log))
      if (!again || performance.now() > deadline) return yield* Effect.fail(failure)
      yield* pause(100)
    }
  })

  const withExplanation = <A>(starting: Effect.Effect<A, StartFailed | StoreUnavailable>) =>
    Effect.catchTag(starting, "StartFailed", (failed) =>
      Effect.fail(new StoreUnavailable({ store: plan.store, message: explain(plan, failed) })),
    )

  const choosePort = Effect.gen(function* () {
    const preferred = options.preferredPort
    return preferred !== undefined && (yield* isFree(preferred)) ? preferred : yield* freePort
  })

  const startAnywhere = Effect.gen(function* () {
    for (let left = 5; ; left--) {
      const port = yield* choosePort
      const failure = yield* failureOf(startOn(port))
      if (failure === undefined) return port
      // Another program may have taken the port since it was checked.
      if (left === 0 || (yield* isFree(port))) return yield* Effect.fail(failure)
    }
  })

  const isUp = () => current?.pid !== undefined && !current.hasExited()
  const signal = Effect.fnUntraced(function* (name: NodeJS.Signals) {
    const pid = isUp() ? current?.pid : undefined
    if (pid === undefined) return
    const forked = yield* childrenOf(pid)
    for (const each of [pid, ...forked]) sendSignal(each, name)
  })
  const stop = Effect.gen(function* () {
    const server = current
    if (server === undefined || server.hasExited()) return
    yield* signal("SIGCONT")
    yield* Effect.promise(server.stop)
  })
  yield* Effect.addFinalizer(() => stop)
  const kill = Effect.gen(function* () {
    const server = current
    if (server === undefined || server.hasExited()) return
    yield* signal("SIGKILL")
    yield* Effect.promise(() => server.exited)
  })

  const port =
    options.port === undefined
      ? yield* startAnywhere.pipe(withExplanation)
      : yield* startOn(options.port).pipe(withExplanation, Effect.as(options.port))
  const start = Effect.suspend(() => (isUp() ? Effect.void : startOn(port))).pipe(turn.withPermits(1), withExplanation)

  const supervise = Effect.gen(function* () {
    let failures = 0
    while (true) {
      const server = current
      const since = performance.now()
      const code = server === undefined ? 0 : yield* Effect.promise(() => server.exited)
      failures = performance.now() - since > 30_000 ? 0 : failures + 1
      yield* Effect.logWarning(
        `${names[plan.store]} exited unexpectedly (exit code ${code}); restarting it on port ${port}`,
      )
      yield* pause(Math.min(5_000, 50 * 2 ** Math.min(failures, 10)))
      yield* Effect.catch(start, (error) => Effect.logWarning(error.message))
    }
  })
  if (options.supervise ?? true) yield* Effect.forkScoped(supervise)

  return {
    url: plan.url(port),
    port,
    dataDir: plan.dataDir,
    pid: Effect.sync(() => (isUp() ? current?.pid : undefined)),
    signal,
    kill,
    stop,
    start,
  }
})
