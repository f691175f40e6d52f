import { Effect, Redacted } from "effect"
import { Redis } from "ioredis"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { oldest } from "#src/platform/StoreVersions.ts"
import { type Finding, fail, ok, olderThan, warn } from "./Finding.ts"
import { hostAndPort, patienceMillis, tooLate } from "./reach.ts"

export const usualPort = 6379

/** From INFO, because managed servers refuse CONFIG; what they do not tell is not held against them. */
const wanted = [
  { setting: "maxmemory-policy", field: "maxmemory_policy", good: "noeviction", risk: "jobs may be evicted" },
  { setting: "appendonly", field: "aof_enabled", good: "1", risk: "a restart forgets the jobs in flight" },
]

const fieldOf = (info: string, name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1]

export const judgeRedis = (where: string, info: string): Finding => {
  const version = fieldOf(info, "valkey_version") ?? fieldOf(info, "redis_version") ?? "unknown"
  if (olderThan(version, oldest.redis))
    return fail("redis", `${where} is version ${version}`, `Presage needs Redis ${oldest.redis} or newer (REDIS_URL)`)
  const amiss = wanted.flatMap(({ setting, field, good, risk }) => {
    const found = fieldOf(info, field) ?? good
    return found === good ? [] : [`${setting} is ${found === "0" ? "no" : found} (${risk})`]
  })
  const reachable = `${version}, reachable at ${where}`
  return amiss.length === 0
    ? ok("redis", reachable)
    : warn(
        "redis",
        [reachable, ...amiss].join("; "),
        "set maxmemory-policy noeviction and appendonly yes in its configuration",
      )
}

const info = (url: Redacted.Redacted<string>) =>
  Effect.callback<string, string>((resume) => {
    const client = new Redis(Redacted.value(url), {
      retryStrategy: null,
      lazyConnect: true,
      connectTimeout: patienceMillis,
      connectionName: "presage-doctor",
    })
    const settle = (outcome: Effect.Effect<string, string>) => {
      client.disconnect()
      resume(outcome)
    }
    // The promise says only "Connection is closed"; the event says why.
    client.on("error", (error: Error) =>
      settle(Effect.fail(/Unknown RESP type/.test(error.message) ? "what answers there is not Redis" : error.message)),
    )
    client
      .connect()
      .then(() => client.info())
      .then(
        (text) => settle(Effect.succeed(text)),
        (error: Error) => settle(Effect.fail(error.message)),
      )
    return Effect.sync(() => client.disconnect())
  })

/** One connection and one question, without the patience of a service that starts. */
export const lookAtRedis = (url: Redacted.Redacted<string>): Effect.Effect<Finding, string> =>
  Effect.map(
    abandonAfter(info(url), patienceMillis + 500, () => tooLate),
    (text) => judgeRedis(hostAndPort(url, usualPort), text),
  )
