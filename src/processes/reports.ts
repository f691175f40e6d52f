import { Effect, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import type { Redis } from "#src/platform/redis/Redis.ts"
import { ProcessReport } from "./model.ts"

/** Samples of one hour. */
export const samplesKept = 360

/** Operators see a process that died for so long. */
const forgottenAfterMillis = 3_600_000

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessReport))

/** Milliseconds by the clock of Redis, which all processes share. */
export const redisTime = (redis: Redis["Service"]) =>
  redis.run(async (client) => {
    const [seconds, micros] = await client.time()
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  })

/** The last report of every process. Forgets those that are old or unreadable. */
export const readReports = (redis: Redis["Service"], now: number) =>
  Effect.gen(function* () {
    const { processes } = keys(redis.prefix)
    const stored = Object.entries(yield* redis.run((client) => client.hgetall(processes)))
    const decoded = stored.map(([field, text]) => ({ field, report: Option.getOrUndefined(decode(text)) }))
    const isOld = (report: ProcessReport | undefined) => report === undefined || now - report.at > forgottenAfterMillis
    const old = decoded.filter(({ report }) => isOld(report)).map(({ field }) => field)
    if (old.length > 0) yield* redis.run((client) => client.hdel(processes, ...old))
    return decoded.flatMap(({ report }) => (report === undefined || isOld(report) ? [] : [report]))
  })
