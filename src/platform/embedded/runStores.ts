import { readFileSync } from "node:fs"
import { Effect, Schema, type Scope } from "effect"
import { type Directory, ensureSecrets, writeAtomically } from "./directory.ts"
import type { Announcement, Ownership } from "./Ownership.ts"
import { startPostgres } from "./Postgres.ts"
import { startRedis } from "./Redis.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

/** Stored, so that joined processes find a restarted owner on the same ports. */
const LastPorts = Schema.fromJsonString(
  Schema.Struct({ postgres: Schema.NullOr(Schema.Number), redis: Schema.NullOr(Schema.Number) }),
)
const noPorts = { postgres: null, redis: null }
const lastPorts = (dir: Directory) =>
  Effect.try(() => readFileSync(dir.file("ports.json"), "utf8")).pipe(
    Effect.flatMap((text) => Effect.fromOption(Schema.decodeUnknownOption(LastPorts)(text))),
    Effect.orElseSucceed(() => noPorts),
  )

/** Exactly this port; the last one or any free one; or do not run the store. */
export type PortChoice = number | "any" | "none"

export interface StoresPlan {
  readonly postgres: PortChoice
  readonly redis: PortChoice
  readonly brief: boolean
}

const startUnlessNone = <A, E, R>(
  choice: PortChoice,
  last: number | null,
  start: (ports: { readonly port?: number; readonly preferredPort?: number }) => Effect.Effect<A, E, R>,
) => {
  if (choice === "none") return Effect.undefined
  if (choice !== "any") return start({ port: choice })
  return start(last === null ? {} : { preferredPort: last })
}

/** Runs the stores until the scope closes, and announces their ports. */
export const runStores = Effect.fnUntraced(function* (
  dir: Directory,
  ownership: Ownership,
  plan: StoresPlan,
): Effect.fn.Return<Announcement, StoreUnavailable, Scope.Scope> {
  const secrets = yield* ensureSecrets(dir)
  const last = yield* lastPorts(dir)
  const { postgres, redis } = yield* Effect.all(
    {
      postgres: startUnlessNone(plan.postgres, last.postgres, (ports) => startPostgres({ dir: dir.path, ...ports })),
      redis: startUnlessNone(plan.redis, last.redis, (ports) => startRedis({ dir: dir.path, ...ports })),
    },
    { concurrency: 2 },
  )
  const ports = { postgres: postgres?.port ?? last.postgres, redis: redis?.port ?? last.redis }
  yield* Effect.ignore(Effect.try(() => writeAtomically(dir, "ports.json", JSON.stringify(ports))))
  const announcement = {
    pid: process.pid,
    brief: plan.brief,
    postgres: postgres?.port ?? null,
    redis: redis?.port ?? null,
  }
  yield* ownership.announce(announcement, secrets.owner)
  yield* Effect.addFinalizer(() => ownership.retire)
  return announcement
})
