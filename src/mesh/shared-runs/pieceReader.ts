import { Effect, Semaphore } from "effect"
import { freeBuffer, ownsMemory } from "#src/platform/process/freeBuffer.ts"
import { type RedisClient, RedisFailure } from "#src/platform/redis/Redis.ts"

/** A small reply shares the socket's buffer, so it is copied. */
const ownOf = (stored: Buffer) => (ownsMemory(stored) ? stored : Buffer.from(stored))

/**
 * Reads chunks over a dedicated connection, one reply at a time, and frees the socket's buffers after each reply. Left to
 * V8, tens of megabytes would wait for collection.
 */
export const makePieceReader = Effect.fnUntraced(function* (client: RedisClient) {
  const oneAtATime = yield* Semaphore.make(1)
  const received: Array<Buffer> = []
  const listen = () => client.stream.on("data", (bytes: Buffer) => received.push(bytes))
  listen()
  client.on("connect", listen)

  /** Buffers of a failed reply may still be in use; they are freed after the next one. */
  const answered = async (key: string, from: number, to: number) => {
    const stored = (await client.lrangeBuffer(key, from, to)).map(ownOf)
    for (const bytes of received.splice(0)) freeBuffer(bytes)
    return stored
  }

  return (key: string, from: number, to: number) =>
    Effect.tryPromise({
      try: () => answered(key, from, to),
      catch: (cause) => new RedisFailure({ cause }),
    }).pipe(Effect.uninterruptible, oneAtATime.withPermit)
})
