import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, Layer, Option, Schedule, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { show } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { localUrl } from "#src/platform/http/localHost.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Shutdown } from "#src/platform/process/Shutdown.ts"
import { isInUse, journalIn } from "#src/simulator/Journal.ts"
import { SimulatorAddress } from "#src/upstream/Endpoints.ts"
import { simulatorUrl } from "#src/upstream/settings.ts"
import { simHost, simPort, simulatorSettings } from "./simulatorSettings.ts"

/** The child has printed the reason to the shared standard error. */
export class SimulatorEnded extends Schema.TaggedError<SimulatorEnded>()("SimulatorEnded", { code: Schema.Number }) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return `the simulated venue ended with exit code ${this.code}; start it alone with ROLE=simulator to see why, or set UPSTREAM`
  }
}

const main = join(import.meta.dirname, "..", "main.ts")
const readyLine = /^presage ready .*sim (http\S+)/
const stopWithin = 5_000
/** A venue that another instance is starting listens by then, unless it has another port. */
const joinWithin = 30_000

/** A world may need more memory than the service's own limit. */
const flags = process.execArgv.filter((flag) => !flag.startsWith("--max-old-space-size"))

/** A child process with the same settings. It ends with this process, because its IPC channel closes. */
const spawnChild = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...flags, main, "start"], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      }),
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (hasEnded(child)) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
        setTimeout(() => child.kill("SIGKILL"), stopWithin).unref()
      }),
  )

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

const ended = (child: ChildProcess) =>
  Effect.callback<number>((resume) => {
    const resumeWithCode = () => resume(Effect.succeed(child.exitCode ?? 1))
    if (hasEnded(child)) resumeWithCode()
    else child.once("exit", resumeWithCode)
  })

const addressOf = (child: ChildProcess) =>
  Effect.callback<string>((resume) => {
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on("line", (line) => {
      const address = readyLine.exec(line)?.[1]
      if (address !== undefined) resume(Effect.succeed(address))
    })
  })

/** Another instance on this machine may already run the venue. `silent`: something listens, but does not answer. */
const lookFor = (url: string) =>
  Effect.promise(async (): Promise<"running" | "absent" | "silent"> => {
    try {
      const state: unknown = await (await fetch(`${url}/_sim/state`, { signal: AbortSignal.timeout(1_000) })).json()
      return typeof state === "object" && state !== null && "head" in state ? "running" : "silent"
    } catch (error) {
      const cause: unknown = error instanceof Error ? error.cause : undefined
      return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ECONNREFUSED"
        ? "absent"
        : "silent"
    }
  })

/** A venue that another process runs, here or elsewhere. */
export const externalSimulator = Layer.effect(
  SimulatorAddress,
  Effect.gen(function* () {
    const config = yield* Configuration
    const fallback = `http://127.0.0.1:${config.get(simPort)}`
    return { url: Option.getOrElse(config.get(simulatorUrl), () => fallback) }
  }),
)

/**
 * Starts the simulated venue as a child process and restarts it when it dies. The layer is ready once it listens. While
 * another instance runs the venue, this one uses it, and starts it again when it has ended with that instance.
 */
export const simulatorChild = Effect.gen(function* () {
  const config = yield* Configuration
  const addresses = yield* Addresses
  const shutdown = yield* Shutdown
  const port = config.get(simPort)
  const url = localUrl(config.get(simHost), port)
  const first = yield* Deferred.make<string, SimulatorEnded>()
  const shared = [...simulatorSettings, settings.presageDir, settings.httpAllowedHosts]
  const given = Object.fromEntries(shared.map((each) => [each.env, show(each, config.get(each))]))
  const env = { ...given, ROLE: "simulator" }
  const isElsewhere = port === 0 ? Effect.succeed(false) : Effect.map(lookFor(url), (found) => found === "running")
  const world = journalIn(config.get(settings.presageDir))
  const startedAt = performance.now()
  const isOfAnother = Effect.map(
    isElsewhere,
    (isRunning) => isRunning || (port !== 0 && isInUse(world) && performance.now() - startedAt < joinWithin),
  )
  const lifetime = Effect.scoped(
    Effect.gen(function* () {
      const child = yield* spawnChild(env)
      const code = yield* Effect.raceFirst(
        ended(child),
        Effect.andThen(
          Effect.flatMap(addressOf(child), (address) => Deferred.succeed(first, address)),
          ended(child),
        ),
      )
      // Another instance was faster; this one joins its venue as soon as that listens.
      if (yield* isOfAnother) return
      yield* Deferred.fail(first, new SimulatorEnded({ code }))
      // A signal to the process group reaches both processes, and the child may end first.
      const stopping = yield* Effect.timeoutOption(shutdown.begun, "500 millis")
      if (Option.isNone(stopping))
        yield* Effect.logWarning(`the simulated venue ended (exit code ${code}); starting it again`)
    }),
  )
  const join = Effect.gen(function* () {
    if (!(yield* isElsewhere)) return
    yield* Effect.logInfo(`joined the simulated venue on port ${port}`)
    yield* Deferred.succeed(first, url)
    yield* Effect.repeat(lookFor(url), {
      until: (found) => found === "absent",
      schedule: Schedule.spaced("1 second"),
    })
    yield* Effect.logInfo(`the process that ran the simulated venue has ended; starting the venue on port ${port}`)
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.andThen(join, lifetime), Schedule.spaced("1 second")), {
    startImmediately: true,
  })
  const listening = Effect.map(Deferred.await(first), (address) => {
    addresses.add("sim", address)
    return { url: address }
  })
  return Layer.effect(SimulatorAddress, listening)
})
