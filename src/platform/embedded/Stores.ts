import { Effect, Option, type Redacted, type Scope } from "effect"
import { type Directory, findDirectory, openDirectory, readSecrets, type Secrets } from "./directory.ts"
import { type Announcement, askOwner, claim } from "./Ownership.ts"
import { postgresUrl } from "./Postgres.ts"
import { redisUrl } from "./Redis.ts"
import { runStores } from "./runStores.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { takeOverWhenGone } from "./takeover.ts"

export { StoreUnavailable } from "./StoreUnavailable.ts"

export interface StoreAddresses {
  readonly databaseUrl: Redacted.Redacted<string>
  readonly redisUrl: Redacted.Redacted<string>
  /** The stores that Presage runs itself, here or in the joined process. */
  readonly embedded: ReadonlyArray<"postgres" | "redis">
  /** Another live process runs them. */
  readonly joined: boolean
}

export interface StoreOptions {
  readonly dir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly redisUrl: Option.Option<Redacted.Redacted<string>>
}

export interface AcquireOptions extends StoreOptions {
  /**
   * For a short command: a starting service waits for it to end instead of joining it, and it does not take over from an
   * owner that exits.
   */
  readonly brief?: boolean
}

/** An owner that creates or recovers a database may take a while. */
const joinMillis = 150_000
const peekMillis = 10_000

const embeddedOf = (options: StoreOptions): StoreAddresses["embedded"] => [
  ...(Option.isNone(options.databaseUrl) ? (["postgres"] as const) : []),
  ...(Option.isNone(options.redisUrl) ? (["redis"] as const) : []),
]

const given = ({ databaseUrl, redisUrl }: StoreOptions): Option.Option<StoreAddresses> =>
  Option.map(Option.all({ databaseUrl, redisUrl }), (urls) => ({ ...urls, embedded: [], joined: false }))

const addresses = Effect.fnUntraced(function* (
  options: StoreOptions,
  owner: Announcement,
  secrets: Secrets,
  joined: boolean,
): Effect.fn.Return<StoreAddresses, StoreUnavailable> {
  const missing = (store: "postgres" | "redis", variable: string) =>
    new StoreUnavailable({
      store,
      message: `Process ${owner.pid} runs the stores of ${options.dir} with its own ${variable}: set ${variable} to the same value, or choose another directory.`,
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

const describe = Effect.fnUntraced(function* (
  dir: Directory,
  owner: Announcement,
  options: StoreOptions,
  joined: boolean,
) {
  const secrets = yield* readSecrets(dir)
  if (Option.isSome(secrets)) return yield* addresses(options, owner, secrets.value, joined)
  return yield* new StoreUnavailable({ store: "directory", message: `${dir.file("secrets.json")} is missing.` })
})

const isGiven = (url: StoreOptions["databaseUrl"]) => (Option.isSome(url) ? "none" : "any")

/**
 * Returns the configured stores, and embedded ones for the rest, run by this process or by the one that already runs them.
 * When that process exits, this one takes over on the same ports.
 */
export const acquire = Effect.fn("Stores.acquire")(function* (
  options: AcquireOptions,
): Effect.fn.Return<StoreAddresses, StoreUnavailable, Scope.Scope> {
  const external = given(options)
  if (Option.isSome(external)) return external.value
  const brief = options.brief ?? false
  const dir = yield* openDirectory(options.dir)
  const claimed = yield* claim(dir, { forMillis: joinMillis, brief })
  if ("announce" in claimed) {
    const plan = { postgres: isGiven(options.databaseUrl), redis: isGiven(options.redisUrl), brief } as const
    return yield* describe(dir, yield* runStores(dir, claimed, plan), options, false)
  }
  const stores = yield* describe(dir, claimed.announcement, options, true)
  if (!brief) yield* takeOverWhenGone(dir, claimed, stores.embedded)
  return stores
})

/** Returns the stores of a running owner without starting anything. */
export const peek = Effect.fn("Stores.peek")(function* (
  options: StoreOptions,
  forMillis = peekMillis,
): Effect.fn.Return<Option.Option<StoreAddresses>, StoreUnavailable> {
  const external = given(options)
  if (Option.isSome(external)) return external
  const dir = yield* findDirectory(options.dir)
  if (Option.isNone(dir)) return Option.none()
  const owner = yield* Effect.scoped(askOwner(dir.value, forMillis))
  return owner === undefined
    ? Option.none()
    : Option.some(yield* describe(dir.value, owner.announcement, options, true))
})
