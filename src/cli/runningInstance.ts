import { Effect, Layer, Option, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { AnySetting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { peek, type StoreAddresses } from "#src/platform/embedded/Stores.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { simPort } from "#src/roles/simulatorSettings.ts"
import { runningProcesses } from "#src/tuning/runningSettings.ts"
import { SimulatorAddress } from "#src/upstream/Endpoints.ts"
import { rpcUrl, simulatorUrl, upstream } from "#src/upstream/settings.ts"

/** The stores of the instance, if they run. */
export const findStores = Effect.gen(function* () {
  const config = yield* Configuration
  return yield* peek({
    dir: config.get(settings.presageDir),
    databaseUrl: config.get(settings.databaseUrl),
    redisUrl: config.get(settings.redisUrl),
  })
}).pipe(Effect.orElseSucceed(Option.none<StoreAddresses>))

/** The running processes of these stores; undefined if Redis, which knows them, does not answer. */
export const runningIn = (stores: Option.Option<StoreAddresses>) =>
  Option.isNone(stores)
    ? Effect.succeed([])
    : runningProcesses.pipe(
        Effect.provide(Redis.layer(stores.value.redisUrl)),
        Effect.timeout("5 seconds"),
        Effect.orElseSucceed(() => undefined),
      )

/** The command would ask another venue than the instance whose ledger it works on. */
export class OtherVenue extends Schema.TaggedError<OtherVenue>()("OtherVenue", { running: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    const needed =
      this.running === "polymarket" ? `${upstream.env}=polymarket and ${rpcUrl.env}` : `${upstream.env}=${this.running}`
    return `the running instance has ${upstream.env}=${this.running}, this command does not: set ${needed} for it too, or for both in presage.config.json`
  }
}

type Venue = "of the ledger" | "chosen by the command"

/** The simulated venue of the running instance, unless the command names another. */
const venueOf = (which: Venue) =>
  Layer.effect(
    SimulatorAddress,
    Effect.gen(function* () {
      const config = yield* Configuration
      const [running] = (yield* Effect.flatMap(findStores, runningIn)) ?? []
      const own = new Map(config.rows().map((row) => [row.name, row]))
      const isSet = ({ name }: AnySetting) => own.get(name)?.source !== "default"
      const venue = running?.settings[upstream.name]?.value ?? config.get(upstream)
      const isOther = venue !== config.get(upstream)
      if (isOther && !(which === "chosen by the command" && isSet(upstream))) {
        return yield* new OtherVenue({ running: venue })
      }
      const isOfInstance = running !== undefined && !isOther && ![simulatorUrl, simPort].some(isSet)
      const chosen = ({ name }: AnySetting) =>
        (isOfInstance ? running.settings[name]?.value : undefined) ?? own.get(name)?.value ?? ""
      return { url: chosen(simulatorUrl) || `http://127.0.0.1:${chosen(simPort)}` }
    }),
  )

/** For commands that work on the ledger of the instance: they must ask the venue that it is of. */
export const venueOfInstance = venueOf("of the ledger")

/** For commands that need no ledger: they ask the venue that they are given, also before it is started. */
export const venueToAsk = venueOf("chosen by the command")
