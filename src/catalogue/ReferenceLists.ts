import { Effect, Metric } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { Lease } from "#src/mesh/Lease.ts"
import type { Gamma, List } from "#src/upstream/gamma/Gamma.ts"
import type { UpstreamFailure } from "#src/upstream/UpstreamFailure.ts"
import * as ReferenceStore from "./ReferenceStore.ts"

const failed = (list: string) =>
  Metric.gauge("presage_catalogue_list_failed", {
    description: "1 while the last read of a reference list of the catalogue has failed",
    attributes: { list },
  })
const endOffset = (list: string) =>
  Metric.gauge("presage_catalogue_list_end_offset", {
    description: "Offset at which the venue refused to continue a reference list; 0 if the list was read to its end",
    attributes: { list },
  })

type Write<A> = (sql: SqlClient, items: ReadonlyArray<A>) => Effect.Effect<unknown, SqlError>

/**
 * Reads tags, series, teams, leagues and types of markets, each on its own. Fails if some lists failed; the next read is
 * then of those only.
 */
export const referenceLists = (gamma: Gamma["Service"], sql: SqlClient, tx: Lease["tx"]) => {
  const list = <A>(name: string, fetched: Effect.Effect<List<A>, UpstreamFailure>, write: Write<A>) => ({
    name,
    read: Effect.gen(function* () {
      const { items, endsAtOffset } = yield* fetched
      yield* tx(Effect.asVoid(write(sql, items)))
      yield* Metric.update(endOffset(name), endsAtOffset ?? 0)
      if (endsAtOffset === undefined) return
      yield* Effect.logWarning(
        `catalogue: the venue returns ${name} up to ${endsAtOffset} only; others come with events`,
      )
    }),
  })
  const types = Effect.map(gamma.marketTypes, (items) => ({ items, endsAtOffset: undefined }))
  const all = [
    list("tags", gamma.tags, ReferenceStore.writeTags),
    list("series", gamma.series, ReferenceStore.writeSeries),
    list("teams", gamma.teams, ReferenceStore.writeTeams),
    list("leagues", gamma.leagues, ReferenceStore.writeLeagues),
    list("market types", types, ReferenceStore.writeMarketTypes),
  ]
  let due = all
  return Effect.gen(function* () {
    const attempts = yield* Effect.forEach(due, (each) =>
      Effect.map(Effect.exit(each.read), (exit) => ({ each, exit })),
    )
    for (const { each, exit } of attempts) yield* Metric.update(failed(each.name), exit._tag === "Success" ? 0 : 1)
    const rest = attempts.filter(({ exit }) => exit._tag === "Failure")
    due = rest.length === 0 ? all : rest.map(({ each }) => each)
    for (const { exit } of rest) yield* exit
  })
}
