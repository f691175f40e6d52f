import { assert, layer } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { followedVenue, loaded } from "./support/follower.ts"

const failedLists = Effect.map(Metric.snapshot, (metrics) =>
  metrics.flatMap(({ id, type, state, attributes }) =>
    id === "presage_catalogue_list_failed" && type === "Gauge" && Number(state.value) === 1
      ? [attributes?.["list"]]
      : [],
  ),
)

const quick = { "catalogue.reference-every": "1s", "upstream.gamma.attempts": "1" }

layer(testFoundation(quick), { excludeTestServices: true })("Reference lists of the catalogue", (it) => {
  it.effect(
    "one that fails does not stop the start, is named, and is read later",
    () =>
      Effect.gen(function* () {
        const { url, following, simulation } = yield* followedVenue(35)
        const fault = { upstream: "gamma", channel: "http", kind: "server_error", path: "/teams" }
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body: JSON.stringify(fault) }))
        yield* Effect.gen(function* () {
          const { sql } = yield* Postgres
          yield* loaded
          assert.deepStrictEqual(yield* failedLists, ["teams"])
          assert.lengthOf(yield* sql`select 1 from team`, 0)
          assert.isAbove((yield* sql`select 1 from league`).length, 0)
          yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
          const teams = simulation.model.catalogue.teams.length
          const isRead = Effect.map(sql`select 1 from team`, (rows) => rows.length === teams)
          yield* eventually("all teams are read", isRead, "30 seconds")
          yield* eventually(
            "no list counts as failed",
            Effect.map(failedLists, (lists) => lists.length === 0),
          )
        }).pipe(Effect.provide(following))
      }),
    300_000,
  )
})
