import { readFileSync } from "node:fs"
import { Effect, Option, type Redacted, Schema, type Scope } from "effect"
import {
  type Directory,
  ensureSecrets,
  findDirectory,
  openDirectory,
  readSecrets,
  type Secrets,
  writeWhole,
} from "./directory.ts"
import { type Announcement, askOwner, claim, type Ownership } from "./Ownership.ts"
import { postgresUrl, startPostgres } from "./Postgres.ts"
import { redisUrl, startRedis } from "./Redis.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"

export { StoreUnavailable } from "./StoreUnavailable.ts"

export interface StoreAddresses {
  readonly databaseUrl: Redacted.Redacted<string>
  readonly redisUrl: Redacted.Redacted<string>
  /** Those that Presage runs itself, here or in the process we joined. */
  readonly embedded: ReadonlyArray<"postgres" | "redis">
  /** Another live process of the same directory runs them. */
  readonly joined: boolean
}

export interface StoreOptions {
  readonly dir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly redisUrl: Option.Option<Redacted.Redacted<string>>
}

/** An owner that is busy making its first database, or recovering one, may take a while. */
const joinMillis = 150_000
const peekMillis = 10_000

const embeddedOf = (options: StoreOptions): StoreAddresses["embedded"] => [
  ...(Option.isNone(options.databaseUrl) ? (["postgres"] as const) : []),
  ...(Option.isNone(options.redisUrl) ? (["redis"] as const) : []),
]

const given = ({ databaseUrl, redisUrl }: StoreOptions): Option.Option<StoreAddresses> =>
  Option.map(Option.all({ databaseUrl, redisUrl }), (urls) => ({ ...urls, embedded: [], joined: false }))

/** Remembered, because processes that joined find a restarted owner where they left it. */
const LastPorts = Schema.fromJsonString(
  Schema.Struct({ postgres: Schema.NullOr(Schema.Number), redis: Schema.NullOr(Schema.Number) }),
)
const noPorts = { postgres: null, redis: null }
const lastPorts = (dir: Directory) =>
  Effect.try(() => readFileSync(dir.file("ports.json"), "utf8")).pipe(
    Effect.flatMap((text) => Effect.fromOption(Schema.decodeUnknownOption(LastPorts)(text))),
    Effect.orElseSucceed(() => noPorts),
  )

const preferring = (port: number | null) => (port === null ? {} : { preferredPort: port })

const addresses = Effect.fnUntraced(function* (
  options: StoreOptions,
  owner: Announcement,
  secrets: Secrets,
  joined: boolean,
): Effect.fn.Return<StoreAddresses, StoreUnavailable> {
  const missing = (store: "postgres" | "redis", variable: string) =>
    new StoreUnavailable({
      store,
      message: `Process ${owner.pid} runs the stores of ${options.dir} with a ${variable} of its own: set ${variable} to the same, or choose another directory.`,
    })
  const { databaseUrl, redisUrl: givenRedis } = options
  if (Option.isNone(databaseUrl) && owner.postgres === null) return yield* missing("postgres", "DATABASE_URL")
  if (Option.isNone(givenRedis) && owner.redis === null) return yield* missing("redis", "REDIS_URL")
  return {
    databaseUrl: Option.getOrElse(databaseUrl, () => postgresUrl(secrets.postgres, owner.postgres ?? 0)),
    redisUrl: Option.getOrElse(givenRedis, () => redisUrl(secrets.redis, owner.redis ?? 0)),
    embedded: embeddedOf(options),
    joined,
  }
})

const own = Effect.fnUntraced(function* (dir: Directory, ownership: Ownership, options: StoreOptions) {
  const secrets = yield* ensureSecrets(dir)
  const last = yield* lastPorts(dir)
  const { postgres, redis } = yield* Effect.all(
    {
      postgres: Option.isSome(options.databaseUrl)
        ? Effect.undefined
        : startPostgres({ dir: dir.path, ...preferring(last.postgres) }),
      redis: Option.isSome(options.redisUrl)
        ? Effect.undefined
        : startRedis({ dir: dir.path, ...preferring(last.redis) }),
    },
    { concurrency: 2 },
  )
  const ports = { postgres: postgres?.port ?? null, redis: redis?.port ?? null }
  yield* Effect.ignore(
    Effect.try(() =>
      writeWhole(
        dir,
        "ports.json",
        JSON.stringify({ postgres: ports.postgres ?? last.postgres, redis: ports.redis ?? last.redis }),
      ),
    ),
  )
  yield* ownership.announce({ pid: process.pid, ...ports }, secrets.owner)
  yield* Effect.addFinalizer(() => ownership.retire)
  return yield* addresses(options, { pid: process.pid, ...ports }, secrets, false)
})

const join = Effect.fnUntraced(function* (dir: Directory, owner: Announcement, options: StoreOptions) {
  const secrets = yield* readSecrets(dir)
  if (Option.isSome(secrets)) return yield* addresses(options, owner, secrets.value, true)
  return yield* new StoreUnavailable({ store: "directory", message: `${dir.file("secrets.json")} is missing.` })
})

/** The stores to use: those given, and for the rest our own, run by us or by the process that has them already. */
export const acquire = Effect.fn("Stores.acquire")(function* (
  options: StoreOptions,
): Effect.fn.Return<StoreAddresses, StoreUnavailable, Scope.Scope> {
  const external = given(options)
  if (Option.isSome(external)) return external.value
  const dir = yield* openDirectory(options.dir)
  const claimed = yield* claim(dir, joinMillis)
  return yield* "pid" in claimed ? join(dir, claimed, options) : own(dir, claimed, options)
})

/** The stores of a live owner, without starting anything. */
export const peek = Effect.fn("Stores.peek")(function* (
  options: StoreOptions,
): Effect.fn.Return<Option.Option<StoreAddresses>, StoreUnavailable> {
  const external = given(options)
  if (Option.isSome(external)) return external
  const dir = yield* findDirectory(options.dir)
  if (Option.isNone(dir)) return Option.none()
  const owner = yield* askOwner(dir.value, peekMillis)
  return owner === undefined ? Option.none() : Option.some(yield* join(dir.value, owner, options))
})
