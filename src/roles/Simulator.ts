import { Effect, Layer } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { listenError } from "#src/platform/http/listenErrors.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { JournalUnusable, WorldInUse, WorldMismatch } from "#src/simulator/Journal.ts"
import { startSimulator } from "#src/simulator/start.ts"
import { simGames, simGenesis, simHost, simPort, simRate, simScale, simSeed } from "./simulatorSettings.ts"

const isOwnError = (error: unknown) =>
  error instanceof WorldMismatch || error instanceof WorldInUse || error instanceof JournalUnusable

/** The simulated venue, with its journal in the Presage directory. */
export const simulator = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* Configuration
    const addresses = yield* Addresses
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const host = config.get(simHost)
    const allowed = [host, ...config.get(settings.httpAllowedHosts)]
    const genesis = config.get(simGenesis)
    const running = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          startSimulator({
            host,
            port: config.get(simPort),
            seed: config.get(simSeed),
            genesis: genesis === "now" ? undefined : Date.parse(genesis),
            scale: config.get(simScale),
            rate: config.get(simRate),
            games: config.get(simGames),
            directory: config.get(settings.presageDir),
            isKnownHost: (name) => isKnownHost(name, allowed),
            onError: (error) => fork(Effect.logError("simulator", error)),
          }),
        catch: (error) =>
          isOwnError(error)
            ? error
            : listenError(error as NodeJS.ErrnoException, host, config.get(simPort), simPort.env, simHost.env),
      }),
      ({ stop }) => Effect.promise(stop),
    )
    addresses.add("sim", `http://localhost:${running.port}`)
  }),
)
