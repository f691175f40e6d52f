import { Effect, Layer, Metric } from "effect"
import { eventLogRelay } from "#actors/eventLogRelay.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { EventLog, type NewEvent } from "#src/mesh/EventLog.ts"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import { Addresses } from "#src/platform/process/Addresses.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { gateway } from "#src/roles/Gateway.ts"
import { externalSimulator } from "#src/roles/SimulatorChild.ts"
import { Stores } from "#src/roles/Stores.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"

const relay = eventLogRelay.pipe(
  Layer.provide(Layer.unwrap(Effect.map(Stores, ({ databaseUrl }) => clusterRunner(databaseUrl)))),
)

/**
 * The gateway as in production, on its own stores and port, with the relay that copies the log to Redis. `before`
 * prepares the stores.
 */
export const testGateway = (
  flags: Record<string, string> = {},
  before: Layer.Layer<never, unknown, Configuration | EventLog | Postgres> = Layer.empty,
  database?: TestDatabase,
) =>
  Layer.fresh(gateway).pipe(
    Layer.provide(externalSimulator),
    Layer.merge(relay),
    Layer.provideMerge(before),
    Layer.provideMerge(Addresses.layer),
    Layer.provideMerge(testFoundation({ "ws.port": "0", host: "127.0.0.1", ...flags }, [], database)),
  )

/** The port of the gateway in the current context. */
export const gatewayPort = Effect.map(Addresses, (addresses) => {
  const [, url] = addresses.list().find(([name]) => name === "ws") ?? []
  return Number(new URL(url ?? "ws://nowhere:0").port)
})

/** Appends to the log; returns the newest seq. */
export const append = (events: ReadonlyArray<NewEvent>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { tx } = yield* Postgres
    yield* tx(log.append(events))
    return Number(yield* log.head)
  })

/** Self-contained events of about this size, one per game. */
export const scores = (from: number, count: number, bytes = 0): ReadonlyArray<NewEvent> =>
  Array.from({ length: count }, (_, i) => ({
    kind: "score",
    data: {
      game: from + i,
      slug: "x".repeat(bytes),
      status: "InProgress",
      score: "0-0",
      period: "1",
      elapsed: "1:00",
      live: true,
      ended: false,
      at: 1_794_700_800_000,
    },
  }))

/** Value of a metric of this process, summed over its labels. */
export const metric = (name: string, labels: Readonly<Record<string, string>> = {}) =>
  Effect.map(Metric.snapshot, (all) =>
    all
      .filter(
        ({ id, attributes }) =>
          id === name && Object.entries(labels).every(([label, value]) => attributes?.[label] === value),
      )
      .reduce((sum, { state }) => sum + Number("count" in state ? state.count : "value" in state ? state.value : 0), 0),
  )
