import { Context, Duration, Effect, Layer, Schedule } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeCircuitBreaker } from "#src/platform/redis/CircuitBreaker.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { batchScriptCalls, loadScript } from "#src/platform/redis/RedisScript.ts"
import { wsLease } from "../settings.ts"
import { type Cap, type LeaseKind, leaseKinds } from "./caps.ts"
import { LocalLeases } from "./LocalLeases.ts"
import { accessMetrics } from "./metrics.ts"

const claimScript = loadScript(new URL("./lua/claim.lua", import.meta.url))
const releaseScript = loadScript(new URL("./lua/release.lua", import.meta.url))
const renewScript = loadScript(new URL("./lua/renew.lua", import.meta.url))

export interface Claim {
  readonly granted: boolean
  /** Leases of the account, including this one if it was granted. */
  readonly held: number
}

/** Counts the connections of an account across all gateways. The leases of a killed gateway expire. */
export class ConnectionLeases extends Context.Service<
  ConnectionLeases,
  {
    /** Idempotent per id. While Redis is unavailable, this gateway counts only its own leases. */
    readonly claim: (account: AccountId, kind: LeaseKind, id: string, cap: Cap) => Effect.Effect<Claim>
    /** Also releases leases that are pending or were refused. */
    readonly release: (account: AccountId, kind: LeaseKind, id: string) => Effect.Effect<void>
  }
>()("presage/streams/access/ConnectionLeases") {
  static readonly layer = Layer.effect(
    ConnectionLeases,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const redis = yield* Redis
  const metrics = accessMetrics(yield* Effect.context<never>())
  const { connections, gatewayProbe } = keys(redis.prefix)
  const leaseMillis = Duration.toMillis((yield* Configuration).get(wsLease))
  const local = new LocalLeases()

  const renew = redis.run(async (client) => {
    const calls = local.held().map(({ key, ids }) => ({ keys: [key], args: [leaseMillis, ...ids] }))
    const failed = (await renewScript(client, calls)).find((result) => result instanceof Error)
    if (failed !== undefined) throw failed
  })

  const { attempt } = yield* makeCircuitBreaker({
    // A write, because a full Redis still answers reads.
    probe: Effect.andThen(
      redis.run((client) => client.set(gatewayProbe, "1", "PX", 1000)),
      renew,
    ),
    onChange: () => undefined,
    messages: {
      unavailable: "each gateway counts only its own connections against the plan limits",
      recovered: "connections are counted across all gateways again",
    },
  })

  const measure = () => {
    const counts = local.counts()
    for (const kind of leaseKinds) metrics.leases(kind, counts[kind])
  }

  yield* Effect.addFinalizer(() =>
    attempt(
      redis.run((client) => {
        const pipeline = client.pipeline()
        for (const { key, ids } of local.held()) pipeline.zrem(key, ...ids)
        return pipeline.exec()
      }),
    ),
  )
  yield* Effect.sync(measure).pipe(
    Effect.andThen(attempt(renew)),
    Effect.repeat(Schedule.spaced(leaseMillis / 3)),
    Effect.forkScoped,
  )

  const call = batchScriptCalls(redis.commands)
  const claimShared = (key: string, id: string, cap: Cap) =>
    redis.run(async (): Promise<Claim> => {
      const answer = await call(claimScript, { keys: [key], args: [id, cap ?? -1, leaseMillis] })
      if (answer instanceof Error) throw answer
      const [granted, held] = answer as readonly [number, number]
      return { granted: granted === 1, held }
    })

  const claimLocally = (key: string, id: string, cap: Cap): Claim => {
    const others = local.countOthers(key, id)
    const granted = cap === null || others < cap
    return { granted, held: granted ? others + 1 : others }
  }

  return ConnectionLeases.of({
    claim: (account, kind, id, cap) =>
      Effect.suspend(() => {
        const key = connections(account, kind)
        local.request(key, kind, id)
        return Effect.map(attempt(claimShared(key, id, cap)), (answer) => {
          const claim = answer ?? claimLocally(key, id, cap)
          local.settle(key, id, claim.granted)
          return claim
        })
      }),
    release: (account, kind, id) =>
      Effect.suspend(() => {
        const key = connections(account, kind)
        if (!local.drop(key, id)) return Effect.void
        return Effect.asVoid(attempt(redis.run(() => call(releaseScript, { keys: [key], args: [id] }))))
      }),
  })
})
