import { Context, Duration, Effect, Layer, Schedule } from "effect"
import type { AccountId } from "#src/domain/Account.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { makeOutage } from "#src/platform/redis/Outage.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { gatherCalls, loadScript } from "#src/platform/redis/RedisScript.ts"
import { wsLease } from "../settings.ts"
import { type Cap, type LeaseKind, leaseKinds } from "./caps.ts"
import { Holdings } from "./Holdings.ts"
import { accessMetrics } from "./metrics.ts"

const claimScript = loadScript(new URL("./lua/claim.lua", import.meta.url))
const releaseScript = loadScript(new URL("./lua/release.lua", import.meta.url))
const renewScript = loadScript(new URL("./lua/renew.lua", import.meta.url))

export interface Claim {
  readonly granted: boolean
  /** How many the account has, with this one if it was granted. */
  readonly held: number
}

/** How many connections an account has, to all gateways together. What a gateway that was killed had is soon forgotten. */
export class ConnectionLeases extends Context.Service<
  ConnectionLeases,
  {
    /** Twice for the same id is the same as once. While Redis is away this gateway counts its own. */
    readonly claim: (account: AccountId, kind: LeaseKind, id: string, cap: Cap) => Effect.Effect<Claim>
    /** Also for what was only asked for, and for what was refused. */
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
  const holdings = new Holdings()

  const renew = redis.run(async (client) => {
    const calls = holdings.held().map(({ key, ids }) => ({ keys: [key], args: [leaseMillis, ...ids] }))
    const failed = (await renewScript(client, calls)).find((outcome) => outcome instanceof Error)
    if (failed !== undefined) throw failed
  })

  const { tried } = yield* makeOutage({
    // A write, as a Redis that is full answers everything else.
    probe: Effect.andThen(
      redis.run((client) => client.set(gatewayProbe, "1", "PX", 1000)),
      renew,
    ),
    onChange: () => undefined,
    told: {
      away: "each gateway counts its own connections against the plans",
      back: "connections are counted over all gateways again",
    },
  })

  const measure = () => {
    const counts = holdings.counts()
    for (const kind of leaseKinds) metrics.leases(kind, counts[kind])
  }

  yield* Effect.addFinalizer(() =>
    tried(
      redis.run((client) => {
        const pipeline = client.pipeline()
        for (const { key, ids } of holdings.held()) pipeline.zrem(key, ...ids)
        return pipeline.exec()
      }),
    ),
  )
  yield* Effect.sync(measure).pipe(
    Effect.andThen(tried(renew)),
    Effect.repeat(Schedule.spaced(leaseMillis / 3)),
    Effect.forkScoped,
  )

  const call = gatherCalls(redis.commands)
  const ask = (key: string, id: string, cap: Cap) =>
    redis.run(async (): Promise<Claim> => {
      const answer = await call(claimScript, { keys: [key], args: [id, cap ?? -1, leaseMillis] })
      if (answer instanceof Error) throw answer
      const [granted, held] = answer as readonly [number, number]
      return { granted: granted === 1, held }
    })

  const decideAlone = (key: string, id: string, cap: Cap): Claim => {
    const others = holdings.others(key, id)
    const granted = cap === null || others < cap
    return { granted, held: granted ? others + 1 : others }
  }

  return ConnectionLeases.of({
    claim: (account, kind, id, cap) =>
      Effect.suspend(() => {
        const key = connections(account, kind)
        holdings.ask(key, kind, id)
        return Effect.map(tried(ask(key, id, cap)), (answer) => {
          const claim = answer ?? decideAlone(key, id, cap)
          holdings.settle(key, id, claim.granted)
          return claim
        })
      }),
    release: (account, kind, id) =>
      Effect.suspend(() => {
        const key = connections(account, kind)
        if (!holdings.drop(key, id)) return Effect.void
        return Effect.asVoid(tried(redis.run(() => call(releaseScript, { keys: [key], args: [id] }))))
      }),
  })
})
