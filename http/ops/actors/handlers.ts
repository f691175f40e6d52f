import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Leases } from "#src/mesh/Lease.ts"
import { Processes } from "#src/processes/Processes.ts"
import { unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"

/** Restarts are counted by the type of an entity, leases are per entity. */
const typeOf = (lease: string) => lease.split("/", 1)[0] ?? lease

export const ActorsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "actors",
  Effect.fnUntraced(function* (handlers) {
    const leases = yield* Leases
    const processes = yield* Processes
    const list = Effect.gen(function* () {
      const [held, running] = yield* Effect.all([leases.held, processes.list], { concurrency: "unbounded" })
      return {
        actors: held.map(({ name, epoch, takenAt }) => ({
          actor: name,
          epoch: Number(epoch),
          taken_at: takenAt.toISOString(),
          process: running.find(({ actors }) => actors[name] === Number(epoch))?.id ?? null,
          restarts: running.reduce((sum, { restarts }) => sum + (restarts[typeOf(name)] ?? 0), 0),
        })),
      }
    })
    return handlers.handleAll({ list: () => Effect.catch(list, unavailable("ops")) })
  }),
)
