import { Effect, Layer } from "effect"
import { migrations } from "#migrations/index.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { postgresLockTimeout, postgresStatementTimeout } from "#src/platform/config/settings.ts"
import { overwriteLine, progressBar } from "#src/platform/process/progressBar.ts"
import { migrate as migrateSchema } from "#src/platform/sql/migrate.ts"
import type { BlockProgress, OnProgress } from "#src/repair/rebuild.ts"
import { ingestion } from "#src/roles/Ingestion.ts"
import { clients, Stores } from "#src/roles/Stores.ts"
import { configured } from "./configured.ts"
import { findStores, runningIn, venueOfInstance } from "./runningInstance.ts"

/** Migrates the schema. */
export const migrateStores = Effect.flatMap(Stores, ({ databaseUrl }) => migrateSchema(databaseUrl, migrations))

/** How many blocks the running instance can undo: the ledger is judged by that, whatever the command's own setting. */
const depthOfInstance = Effect.gen(function* () {
  const [running] = (yield* Effect.flatMap(findStores, runningIn)) ?? []
  const depth = running?.settings[reorgDepth.name]?.value
  return depth === undefined ? {} : { [reorgDepth.name]: depth }
})

/** These commands read the whole ledger while a service may use it, so their default timeouts are longer. */
export const withLongTimeouts = (flags: Readonly<Record<string, string>>) =>
  depthOfInstance.pipe(
    Effect.provide(configured(flags)),
    Effect.map((depth) =>
      configured({ [postgresStatementTimeout.name]: "10m", [postgresLockTimeout.name]: "1m", ...depth, ...flags }),
    ),
    Layer.unwrap,
  )

export const clientsFor = (flags: Readonly<Record<string, string>>) =>
  clients.pipe(Layer.provideMerge(Stores.briefLayer), Layer.provideMerge(withLongTimeouts(flags)))

const refreshMillis = 200

/** Shows a progress bar on stderr if it is a terminal. */
export const withProgressLine = <A, E, R>(
  work: (show: (label: string) => OnProgress) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  if (process.stderr.isTTY !== true) return work(() => () => Effect.void)
  let shownAt = Number.NEGATIVE_INFINITY
  const show =
    (label: string) =>
    ({ first, last, block }: BlockProgress) =>
      Effect.sync(() => {
        const now = performance.now()
        if (now - shownAt < refreshMillis) return
        shownAt = now
        overwriteLine(`${label}  ${progressBar((block - first + 1) / (last - first + 1))}`)
      })
  return Effect.ensuring(
    work(show),
    Effect.sync(() => overwriteLine("")),
  )
}

/** The node, and the ledger that is written from it. */
export const chain = ingestion.pipe(
  Layer.provideMerge(EventLog.layer),
  Layer.provideMerge(clients),
  Layer.provideMerge(venueOfInstance),
)
