import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { makeOutage } from "#src/platform/redis/Outage.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import type { Answer } from "./Answer.ts"
import { fromStored, toStored } from "./storedForm.ts"

const publishScript = readFileSync(new URL("./lua/publish.lua", import.meta.url), "utf8")
const releaseScript = readFileSync(new URL("./lua/release.lua", import.meta.url), "utf8")

/** What all processes have of an answer. */
export interface Found {
  readonly stored: Answer | undefined
  /** Whether it is now for the asker to load a newer one. */
  readonly isOurs: boolean
}

/** The answers that processes share, and who of them is at work on which. Nothing here fails or waits when Redis is away. */
export const makeSharedAnswers = Effect.gen(function* () {
  const redis = yield* Redis
  const keysOf = keys(redis.prefix)
  const token = randomUUID()

  const { tried } = yield* makeOutage({
    // A write, as a Redis that is full answers everything else.
    probe: Effect.asVoid(redis.run((client) => client.set(keysOf.answersProbe, "1", "PX", 1000))),
    onChange: () => undefined,
    told: { away: "each process caches answers for itself", back: "cached answers are shared over Redis again" },
  })

  /**
   * The lease before the answer, in one piece: whoever gets it sees what the holder before left. It lasts as long as a load
   * may; whoever waits for its holder does so for less.
   */
  const take = (name: string, key: string, leaseMillis: number): Effect.Effect<Found | undefined> => {
    const { stored, lease } = keysOf.answer(name, key)
    const asked = redis.run((client) =>
      client.multi().set(lease, token, "PX", leaseMillis, "NX").getBuffer(stored).exec(),
    )
    return tried(
      Effect.flatMap(asked, (replies) => {
        const [[, taken] = [], [, value] = []] = replies ?? []
        const failed = replies?.find(([error]) => error !== null)?.[0]
        if (failed) return Effect.fail(new RedisFailure({ cause: failed }))
        const answer = Buffer.isBuffer(value) ? fromStored(value) : undefined
        return Effect.succeed({ stored: answer, isOurs: taken === "OK" })
      }),
    )
  }

  return {
    take,
    /** Gives a newer answer to all and the lease back. */
    publish: (name: string, key: string, answer: Answer, now: number): Effect.Effect<void> => {
      const { stored, lease } = keysOf.answer(name, key)
      const { storedAt, staleUntil } = answer.times
      const live = Math.max(1, Math.ceil(staleUntil - now))
      const done = redis.run((client) =>
        client.eval(publishScript, 2, stored, lease, toStored(answer), live, storedAt, token),
      )
      return Effect.asVoid(tried(done))
    },
    release: (name: string, key: string): Effect.Effect<void> =>
      Effect.asVoid(tried(redis.run((client) => client.eval(releaseScript, 1, keysOf.answer(name, key).lease, token)))),
  }
})

export type SharedAnswers = Effect.Success<typeof makeSharedAnswers>
