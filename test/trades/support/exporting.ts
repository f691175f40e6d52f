import { type IncomingMessage, request } from "node:http"
import { Effect, Layer, Metric } from "effect"
import { tradesExport } from "#actors/tradesExport.ts"
import { ApiServer } from "#http/Server.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { serving } from "#test/http/support/serving.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"

/** An API and a worker that share only the stores. */
export const world = (flags: Record<string, string> = {}, database?: TestDatabase) =>
  ApiServer.pipe(
    Layer.provideMerge(Layer.mergeAll(serving, tradesExport, ledger)),
    Layer.provideMerge(
      testFoundation(
        {
          port: "0",
          host: "127.0.0.1",
          "event-log.retention": "3650d",
          "trades-export.page": "7",
          "trades-export.boarding": "1m",
          ...flags,
        },
        [],
        database,
      ),
    ),
  )

export const pathOf = (wallet: string, query = "") => `/v2/onchain/wallets/${wallet}/trades/all${query}`
export const untilEver = "?to=99999999999"

/** The second of the newest block: a range that ends there is complete. */
export const newestSecond = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ second: number }>`
    select floor(extract(epoch from max(at)))::float8 as second from block`
  return row?.second ?? 0
})

/** Number of this process's walks with this result. */
export const walks = (outcome: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const found = metrics.find(
      ({ id, attributes }) => id === "presage_trades_export_walks_total" && attributes?.["outcome"] === outcome,
    )
    return found?.type === "Counter" ? Number(found.state.count) : 0
  })

/** Most trades first. */
export const wallets = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ wallet: string }>`
    select '0x' || encode(w.address, 'hex') as wallet
    from fill f join wallet w on w.id = f.maker group by 1 order by count(*) desc, 1`
  return rows.map(({ wallet }) => wallet)
})
export const busiest = Effect.map(wallets, ([wallet = ""]) => wallet)

/** Number of shared runs that have waiters. */
export const runsWithWaiters = Effect.flatMap(Redis, (redis) =>
  Effect.map(
    redis.run((client) => client.keys(`${redis.prefix}:flights:{*:waiters`)),
    ({ length }) => length,
  ),
)

/** A request whose answer can be read while it arrives. */
export const asking = (port: number, key: string, path: string, headers: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly read: Effect.Effect<string>; readonly incoming: IncomingMessage }>((resume) => {
      const outgoing = request(
        { host: "127.0.0.1", port, path, headers: { "x-api-key": key, ...headers }, agent: false },
        (incoming) => {
          const read = Effect.promise(async () => Buffer.concat(await incoming.toArray()).toString())
          resume(Effect.succeed({ read, incoming }))
        },
      )
      outgoing.on("error", () => undefined)
      outgoing.end()
      return Effect.sync(() => outgoing.destroy())
    }),
    ({ incoming }) => Effect.sync(() => incoming.destroy()),
    { interruptible: true },
  )
