import { Effect, Layer, Schedule } from "effect"
import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { type SimulatorOptions, startSimulator } from "#src/simulator/start.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { patience } from "./patience.ts"

const genesis = 1_794_700_800_000

/** The upstream services, pointed at a venue. */
export const upstreamsAt = (url: string) => Layer.merge(Endpoints.at(url), UpstreamHttp.layer)

/** The whole venue on a separate port. */
export const runningVenue = (seed: number, more: Partial<SimulatorOptions> = {}) =>
  Effect.gen(function* () {
    const faults: Array<unknown> = []
    const running = yield* Effect.acquireRelease(
      Effect.promise(() =>
        startSimulator({
          host: "127.0.0.1",
          port: 0,
          seed,
          genesis,
          scale: "brief",
          rate: 20,
          directory: undefined,
          isKnownHost: (host) => isKnownHost(host, []),
          onError: (error) => faults.push(error),
          // Time stands still unless the test advances it.
          clock: () => genesis,
          ...more,
        }),
      ),
      ({ stop }) => Effect.promise(stop),
    )
    const until = (what: string, holds: () => boolean) =>
      Effect.sync(holds).pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (held) => held || faults.length > 0 }),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.die(new Error(`not in time: ${what}`)),
        }),
        Effect.andThen(Effect.suspend(() => (faults.length > 0 ? Effect.die(faults[0]) : Effect.void))),
      )
    return { ...running, url: `http://127.0.0.1:${running.port}`, until }
  })
