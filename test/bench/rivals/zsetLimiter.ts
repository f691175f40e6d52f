import { Redis, type Result } from "ioredis"
import { expose } from "../support/expose.ts"
import { countFor, type LimitsSubject, windowMillis, windowSize } from "../support/limits.ts"

declare module "ioredis" {
  interface RedisCommander<Context> {
    zsetLimit(key: string, limit: number, windowMillis: number): Result<Array<number>, Context>
    zsetFill(key: string, count: number, windowMillis: number): Result<number, Context>
  }
}

/** The usual exact sliding log: a sorted set of times, in one script, with Redis's clock. */
const zsetLimit = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = ARGV[2] * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
local admitted = 0
if count < tonumber(ARGV[1]) then
  admitted = 1
  count = count + 1
  redis.call('ZADD', KEYS[1], now, time[1] .. time[2] .. ':' .. count)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { admitted, ARGV[1] - count, tonumber(oldest[2] or now) + window }`

const zsetFill = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i = 1, tonumber(ARGV[1]) do redis.call('ZADD', KEYS[1], now, time[1] .. time[2] .. ':' .. i) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0`

const client = new Redis(process.env.REDIS_URL ?? "", { enableAutoPipelining: true })
client.defineCommand("zsetLimit", { numberOfKeys: 1, lua: zsetLimit })
client.defineCommand("zsetFill", { numberOfKeys: 1, lua: zsetFill })
const keyOf = (owner: number) => `rival:{account:${owner}}:standard`

expose<LimitsSubject & { readonly ping: LimitsSubject["check"] }>({
  fill: async (owners) => {
    for (let owner = 0; owner < owners; owner++) await client.zsetFill(keyOf(owner), windowSize, windowMillis)
    return (await client.memory("USAGE", keyOf(0), "SAMPLES", 0)) ?? Number.NaN
  },
  check: (load, millis) =>
    countFor(load, millis, (owners) =>
      Promise.all(owners.map((owner) => client.zsetLimit(keyOf(owner), load.limit, windowMillis))),
    ),
  ping: (load, millis) => countFor(load, millis, (owners) => Promise.all(owners.map(() => client.ping()))),
})
