import { Context, Duration, Effect, Layer, Queue, Redacted, Schedule, Schema, type Scope, Stream } from "effect"
import { Redis as Client, type RedisOptions } from "ioredis"
import { Configuration } from "../config/Configuration.ts"
import * as settings from "../config/settings.ts"
import { exitCodes } from "../process/exitCodes.ts"
import { StoreUnreachable } from "../storeChecks.ts"

/** A command failed: Redis is unreachable, too slow, or refused it. */
export class RedisFailure extends Schema.TaggedError<RedisFailure>()("RedisFailure", { cause: Schema.Defect() }) {
  readonly exitCode = exitCodes.storeUnavailable
  override get message() {
    const { cause } = this
    const reasons = cause instanceof AggregateError ? cause.errors.map((each) => each.message).join("; ") : ""
    return `Redis: ${reasons || (cause instanceof Error ? cause.message : String(cause))}`
  }
}

/** What a client of Redis, or BullMQ, promises. */
export const fromRedis = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new RedisFailure({ cause }) })

export type RedisClient = Client

export class Redis extends Context.Service<
  Redis,
  {
    /** For single commands: fails within `redis.command-timeout` when Redis is unavailable or frozen, and never sends a command twice. */
    readonly commands: Client
    /** For BullMQ workers, which use blocking commands and wait for Redis to return. */
    readonly workers: Client
    /** Prefix of every key; `src/mesh/Keys.ts` lists the keys. */
    readonly prefix: string
    /** A dedicated connection for blocking commands; reconnects by itself and closes with the scope. */
    readonly reader: (name: string) => Effect.Effect<Client, StoreUnreachable, Scope.Scope>
    readonly run: <A>(use: (client: Client) => Promise<A>) => Effect.Effect<A, RedisFailure>
    /** Messages on a channel; resubscribes by itself. */
    readonly subscribe: (channel: string) => Stream.Stream<string>
  }
>()("presage/platform/Redis") {
  static readonly layer = (url: Redacted.Redacted<string>) => Layer.effect(Redis, make(url))
}

type Options = Omit<RedisOptions, "replyMapping">

const reconnect = (attempt: number) => Math.min(50 * 2 ** attempt, 1000)

const common: Options = { retryStrategy: reconnect, connectTimeout: 5000, lazyConnect: true }

/** Never resends unanswered commands on reconnect: a counting script would count twice. */
const failFast: Options = {
  ...common,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
}

/** Longer than any blocking command of a reader; detects a frozen Redis. */
const readerTimeout = 5_000

/**
 * A connection on which nothing came for so many times the limit of a command is replaced. A firewall that has forgotten it
 * never says so, and the system gives up after a quarter of an hour.
 */
const silentTimes = 5
/** BullMQ waits for up to 10 s in one command. */
const workersSilence = 15_000

/** Redis may still be starting, for example when the machine boots; a wrong password stays wrong. */
const startupRetry = Schedule.max([Schedule.spaced("500 millis"), Schedule.during("30 seconds")])
const isPermanent = ({ cause }: RedisFailure) => /NOAUTH|WRONGPASS|NOPERM|ENOTFOUND/.test(String(cause))

const where = (address: string) => {
  const { hostname, port } = new URL(address)
  return `${hostname}:${port || 6379}`
}

/** One attempt without ioredis' retries: its promise says only "Connection is closed", the event has the reason. */
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
        // BullMQ duplicates a client with its options. A lazy duplicate whose first attempt times out never tries again.
        client.options.lazyConnect = false
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
  let hasWarned = false

  const warnOnce = (error: RedisFailure) => {
    if (hasWarned || isPermanent(error)) return Effect.void
    hasWarned = true
    return Effect.logWarning(`waiting for Redis at ${where(address)}: ${error.message}`)
  }

  const open = (name: string, options: Options) =>
    Effect.acquireRelease(
      connectOnce(address, name, options).pipe(
        Effect.tapError(warnOnce),
        Effect.retry({ until: isPermanent, schedule: startupRetry }),
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
  const silence = silentTimes * commandTimeout
  const commands = yield* open("commands", { ...failFast, commandTimeout, socketTimeout: silence })
  const workers = yield* open("workers", {
    ...common,
    maxRetriesPerRequest: null,
    socketTimeout: Math.max(workersSilence, silence),
  })

  return Redis.of({
    commands,
    workers,
    prefix: config.get(settings.redisPrefix),
    // With a retry, a command that waits when the connection breaks would wait for its timeout.
    reader: (name) =>
      open(name, {
        ...failFast,
        maxRetriesPerRequest: 0,
        commandTimeout: Math.max(readerTimeout, commandTimeout),
        socketTimeout: Math.max(2 * readerTimeout, silence),
      }),
    run: (use) => fromRedis(() => use(commands)),
    subscribe: (channel) =>
      Stream.callback<string>((queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const client = new Client(address, {
              ...common,
              maxRetriesPerRequest: null,
              socketTimeout: silence,
              connectionName: "presage-subscriber",
            })
            report("subscriber", client)
            client.on("message", (_channel, message) => Queue.offerUnsafe(queue, message))
            client.subscribe(channel).catch(() => undefined)
            return client
          }),
          (client) => Effect.sync(() => client.disconnect()),
        ).pipe(Effect.flatMap((client) => Effect.forkScoped(pingEvery(commandTimeout, client)))),
      ),
  })
})

/** A subscriber sends nothing by itself, and only a command without an answer shows that its connection is dead. */
const pingEvery = (millis: number, client: Client) =>
  Effect.sync(() => {
    if (client.status === "ready") client.ping().catch(() => undefined)
  }).pipe(Effect.repeat(Schedule.spaced(millis)))

/** Logs one line per outage and one per recovery. ioredis throws without an error listener. */
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
