import { Effect, Scope } from "effect"
import { freePort } from "#src/platform/embedded/ports.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { embeddedIn, temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { becomesReady, type Instance, startInstance } from "#test/roles/support/instance.ts"
import { testSecret } from "#test/support/TestStores.ts"
import { patience } from "./patience.ts"
import { asInProduction, servicesOn } from "./service.ts"
import { venueAt } from "./venue.ts"

const readyWithin = 600_000
const endsWithin = 40_000 * patience

/** A directory with its ports, in which an instance with all roles and its own stores can run. */
export const makeHome = Effect.fnUntraced(function* (seed: number, given?: string) {
  const scope = yield* Effect.scope
  const dir = given ?? (yield* temporaryDir)
  const [port, wsPort, simPort] = [yield* freePort, yield* freePort, yield* freePort]
  const environment = {
    ...asInProduction,
    PRESAGE_SECRET: testSecret,
    REDIS_PREFIX: "presage",
    SIM_SEED: String(seed),
    PORT: String(port),
    WS_PORT: String(wsPort),
  }
  let current: Instance | undefined
  let another: Instance | undefined
  const instance = (): Instance => {
    if (current === undefined) throw new Error("no instance has been started")
    return current
  }
  /** In the scope of the home, not in that of its caller. */
  const run = (name: string, more: Readonly<Record<string, string>>) =>
    Effect.provideService(startInstance(name, dir, simPort, { ...environment, ...more }), Scope.Scope, scope)
  return {
    dir,
    environment: { ...environment, PRESAGE_DIR: dir, SIM_PORT: String(simPort) },
    api: `http://127.0.0.1:${port}`,
    streams: `ws://127.0.0.1:${wsPort}`,
    venue: venueAt(`http://127.0.0.1:${simPort}`),
    instance,
    /** Starts an instance on the ports of the home; it is starting when this returns. */
    start: Effect.tap(run("instance", {}), (started) =>
      Effect.sync(() => {
        current = started
      }),
    ),
    /** Another instance in the same directory, on ports of its own; it is ready when this returns. */
    startAnother: Effect.gen(function* () {
      another = yield* run("another instance", { PORT: String(yield* freePort), WS_PORT: "0" })
      yield* another.waitForLine(/^presage ready/, readyWithin)
    }),
    /** Sends it SIGTERM; returns its exit code. */
    stopAnother: Effect.suspend(() => {
      another?.stop()
      return another?.exit(endsWithin) ?? Effect.succeed(0)
    }),
    awaitReady: Effect.suspend(() => becomesReady(instance(), "in its directory", readyWithin)),
    /** Sends SIGTERM; returns the exit code. */
    stop: Effect.suspend(() => {
      instance().stop()
      return instance().exit(endsWithin)
    }),
    kill: Effect.suspend(() => {
      instance().kill()
      return Effect.asVoid(instance().exit(endsWithin))
    }),
    /** Fails while none run. */
    stores: Effect.flatMap(peek(embeddedIn(dir)), Effect.fromOption),
  }
})

/** A home whose instance may not have started. */
export type Unready = Effect.Success<ReturnType<typeof makeHome>>

/** A running instance in its own directory. */
export const startHome = (seed: number, given?: string) =>
  Effect.gen(function* () {
    const home = yield* makeHome(seed, given)
    yield* home.start
    yield* home.awaitReady
    const { databaseUrl, redisUrl } = yield* home.stores
    return { ...home, services: servicesOn(databaseUrl, redisUrl, "presage") }
  })

export type Home = Effect.Success<ReturnType<typeof startHome>>
