import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { makeCircuitBreaker } from "#src/platform/redis/CircuitBreaker.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { Answer } from "./Answer.ts"

const publishScript = readFileSync(new URL("./lua/publish.lua", import.meta.url), "utf8")
const releaseScript = readFileSync(new URL("./lua/release.lua", import.meta.url), "utf8")

const newline = 10
const header = /^(\d+) (\d+) (\d+) (\d+|-) ([01]) (\S+)$/

/** Redis value of an answer: a line of times, `storedAt` first, then its bytes. */
export const toStored = ({ bytes, tag, times }: Answer): Buffer => {
  const { storedAt, freshUntil, staleUntil, dataAt, isBounded } = times
  const line = `${storedAt} ${freshUntil} ${staleUntil} ${dataAt ?? "-"} ${isBounded ? 1 : 0} ${tag}\n`
  return Buffer.concat([Buffer.from(line), bytes])
}

/** Undefined if another version wrote it. */
export const fromStored = (stored: Buffer): Answer | undefined => {
  const end = stored.indexOf(newline)
  const fields = header.exec(stored.toString("latin1", 0, Math.max(end, 0)))
  if (fields === null) return undefined
  const [, storedAt, freshUntil, staleUntil, dataAt, isBounded, tag] = fields
  const times = {
    storedAt: Number(storedAt),
    freshUntil: Number(freshUntil),
    staleUntil: Number(staleUntil),
    dataAt: dataAt === "-" ? undefined : Number(dataAt),
    isBounded: isBounded === "1",
  }
  return new Answer(stored.subarray(end + 1), times, tag)
}

/** Shared state of an answer. */
export interface SharedState {
  readonly stored: Answer | undefined
  /** Whether this process got the lease to load a newer one. */
  readonly hasLease: boolean
}

/** Answers shared by all processes, with a lease for loading each. Nothing here fails or waits while Redis is unavailable. */
export const makeSharedAnswers = Effect.gen(function* () {
  const redis = yield* Redis
  const keysOf = keys(redis.prefix)
  const token = randomUUID()

  const { attempt } = yield* makeCircuitBreaker({
    // A write, because a full Redis still answers reads.
    probe: Effect.asVoid(redis.run((client) => client.set(keysOf.answersProbe, "1", "PX", 1000))),
    onChange: () => undefined,
    messages: {
      unavailable: "each process caches answers for itself",
      recovered: "cached answers are shared over Redis again",
    },
  })

  /**
   * Takes the lease and reads the answer atomically, so that a new holder sees the previous one's answer. The lease lasts
   * as long as a load may take; other processes wait for less.
   */
  const take = (name: string, key: string, leaseMillis: number): Effect.Effect<SharedState | undefined> => {
    const { stored, lease } = keysOf.answer(name, key)
    const reply = redis.run((client) =>
      client.multi().set(lease, token, "PX", leaseMillis, "NX").getBuffer(stored).exec(),
    )
    return attempt(
      Effect.flatMap(reply, (replies) => {
        const [[, taken] = [], [, value] = []] = replies ?? []
        const failed = replies?.find(([error]) => error !== null)?.[0]
        if (failed) return Effect.fail(new RedisFailure({ cause: failed }))
        const answer = Buffer.isBuffer(value) ? fromStored(value) : undefined
        return Effect.succeed({ stored: answer, hasLease: taken === "OK" })
      }),
    )
  }

  return {
    take,
    /** Shares a newer answer and releases the lease. */
    publish: (name: string, key: string, answer: Answer, now: number): Effect.Effect<void> => {
      const { stored, lease } = keysOf.answer(name, key)
      const { storedAt, staleUntil } = answer.times
      const ttl = Math.max(1, Math.ceil(staleUntil - now))
      const done = redis.run((client) =>
        client.eval(publishScript, 2, stored, lease, toStored(answer), ttl, storedAt, token),
      )
      return Effect.asVoid(attempt(done))
    },
    release: (name: string, key: string): Effect.Effect<void> =>
      Effect.asVoid(
        attempt(redis.run((client) => client.eval(releaseScript, 1, keysOf.answer(name, key).lease, token))),
      ),
  }
})

export type SharedAnswers = Effect.Success<typeof makeSharedAnswers>
