import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { redisCall } from "#test/platform/embedded/support/sandbox.ts"
import { loseData } from "#test/ws/support/killableGateways.ts"
import { ofAllWorkers } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"

const lastsMillis = 15_000

/** Redis loses what it has, or refuses more. */
export const redisFaults: ReadonlyArray<Row> = [
  {
    name: "Redis at maxmemory with noeviction for 15 s",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "redis", innocent: "postgres" },
    fault: ({ redis: { url } }) =>
      Effect.gen(function* () {
        yield* redisCall(url, "CONFIG", "SET", "maxmemory", "1")
        yield* pause(lastsMillis)
        yield* redisCall(url, "CONFIG", "SET", "maxmemory", "0")
      }),
  },
  {
    name: "FLUSHALL of Redis",
    within: 30,
    mayRepeat: ofAllWorkers,
    fault: ({ redis }) => Effect.asVoid(redisCall(redis.url, "FLUSHALL")),
  },
  {
    name: "Redis restarted empty",
    within: 30,
    mayRepeat: ofAllWorkers,
    fault: ({ redis }) => loseData(redis),
  },
]
