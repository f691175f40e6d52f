import { Context, Duration, Effect, Layer, Queue, Redacted, Schedule, Schema, type Scope, Stream } from "effect"
import { Redis as Client, type RedisOptions } from "ioredis"
import { Configuration } from "../config/Configuration.ts"
import * as settings from "../config/settings.ts"
import { exitCodes } from "../process/exitCodes.ts"
import { StoreUnreachable } from "../StoreUnreachable.ts"

/** Redis did not do it: not reachable, too slow, or it refused. */
export class RedisFailure extends Schema.TaggedError<RedisFailure>()("RedisFailure", { cause: Schema.Defect() }) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    const { cause } = this
    const said = cause instanceof AggregateError ? cause.errors.map((each) => each.message).join("; ") : ""
    return `Redis: ${said || (cause instanceof Error ? cause.message : String(cause))}`
  }
}

export type RedisClient = Client

export class Redis extends Context.Service<
  Redis,
  {
    /** For single commands: fails within `redis.command-timeout` when Redis is away or frozen, and never sends a command twice. */
    readonly commands: Client
    /** For BullMQ workers, which block on it and wait for Redis to come back. */
    readonly workers: Client
    /** Start of every key; the keys themselves are listed in `src/mesh/Keys.ts`. */
    readonly prefix: string
    /** A connection of one's own for commands that wait; it reconnects by itself and ends with the scope. */
    readonly reader: (name: string) => Effect.Effect<Client, StoreUnreachable, Scope.Scope>
    readonly run: <A>(use: (client: Client) => Promise<A>) => Effect.Effect<A, RedisFailure>
    /** Messages on a channel, from subscription on; resubscribes by itself. */
    readonly subscribe: (channel: string) => Stream.Stream<string>
  }
>()("presage/platform/Redis") {
  static readonly layer = (url: Redacted.Redacted<string>) => Layer.effect(Redis, make(url))
}

type Options = Omit<RedisOptions, "replyMapping">

const reconnect = (attempt: number) => Math.min(50 * 2 ** attempt, 1000)

const common: Options = { retryStrategy: reconnect, connectTimeout: 5000, lazyConnect: true }

/** Unanswered commands are not sent again on reconnect: a script that counts would count twice. */
const failFast: Options = {
  ...common,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
}

/** What waits on a reader waits for less; a frozen Redis is noticed after this. */
const longestWait = 5_000

/** It may still be starting, as when a whole machine boots; a wrong password will not get better. */
const patience = Schedule.max([Schedule.spaced("500 millis"), Schedule.during("30 seconds")])
const isHopeless = ({ cause }: RedisFailure) => /NOAUTH|WRONGPASS|NOPERM|ENOTFOUND/.test(String(cause))

const where = (address: string) => {
  const { hostname, port } = new URL(address)
  return `${hostname}:${port || 6379}`
}

/** One attempt, without ioredis' own retries: its promise says only "Connection is closed", the reason is in the event. */
const connectOnce = (address: string, name: string, options: Options) =>
  Effect.callback<Client, RedisFailure>((resume) => {
    let reason: unknown
    let connected = false
    const client = new Client(address, {
      ...options,
      connectionName: `presage-${name}`,
      retryStrategy: (attempt) => (connected ? reconnect(attempt) : null),
    })
    client.on("error", (error) => {
      reason = error
    })
    client.connect().then(
      () => {
        connected = true
        resume(Effect.succeed(client))
      },
      (error) => {
        client.disconnect()
        resume(Effect.fail(new RedisFailure({ cause: reason ?? error })))
      },
    )
    return Effect.sync(() => client.disconnect())
  })

const make = Effect.fnUntraced(function* (url: Redacted.Redacted<string>) {
  const config = yield* Configuration
  const report = yield* connectionReporter
  const address = Redacted.value(url)
  let told = false

  const tellOnce = (error: RedisFailure) => {
    if (told || isHopeless(error)) return Effect.void
    told = true
    return Effect.logWarning(`waiting for Redis at ${where(address)}: ${error.message}`)
  }

  const open = (name: string, options: Options) =>
    Effect.acquireRelease(
      connectOnce(address, name, options).pipe(
        Effect.tapError(tellOnce),
        Effect.retry({ until: isHopeless, schedule: patience }),
        Effect.mapError(
          (error) =>
            new StoreUnreachable({
              store: "Redis",
              variable: settings.redisUrl.env,
              where: where(address),
              reason: error.message,
            }),
        ),
        Effect.tap((client) => Effect.sync(() => report(name, client))),
      ),
      (client) => Effect.sync(() => client.disconnect()),
      { interruptible: true },
    )

  const commandTimeout = Duration.toMillis(config.get(settings.redisCommandTimeout))
  const commands = yield* open("commands", { ...failFast, commandTimeout })
  const workers = yield* open("workers", { ...common, maxRetriesPerRequest: null })

  return Redis.of({
    commands,
    workers,
    prefix: config.get(settings.redisPrefix),
    // With a retry, what waits when the connection breaks would be left to its timeout.
    reader: (name) =>
      open(name, { ...failFast, maxRetriesPerRequest: 0, commandTimeout: Math.max(longestWait, commandTimeout) }),
    run: (use) => Effect.tryPromise({ try: () => use(commands), catch: (cause) => new RedisFailure({ cause }) }),
    subscribe: (channel) =>
      Stream.callback<string>((queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const client = new Client(address, {
              ...common,
              maxRetriesPerRequest: null,
              connectionName: "presage-subscriber",
            })
            report("subscriber", client)
            client.on("message", (_channel, message) => Queue.offerUnsafe(queue, message))
            client.subscribe(channel).catch(() => undefined)
            return client
          }),
          (client) => Effect.sync(() => client.disconnect()),
        ),
      ),
  })
})

/** ioredis throws when nobody listens for errors; one line per outage and one when it is over is what helps. */
const connectionReporter = Effect.map(Effect.context<never>(), (context) => {
  const log = Effect.runForkWith(context)
  return (name: string, client: Client) => {
    let down = false
    client.on("error", (error: Error) => {
      if (!down) log(Effect.logWarning(`Redis connection "${name}" is down: ${error.message}`))
      down = true
    })
    client.on("ready", () => {
      if (down) log(Effect.logInfo(`Redis connection "${name}" is back`))
      down = false
    })
  }
})
