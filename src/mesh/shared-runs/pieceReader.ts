import { Effect, Semaphore } from "effect"
import { giveBack, isAlone } from "#src/platform/process/giveBack.ts"
import { type RedisClient, RedisFailure } from "#src/platform/redis/Redis.ts"

/** Small ones are a part of what the socket received. */
const ownOf = (stored: Buffer) => (isAlone(stored) ? stored : Buffer.from(stored))

/**
 * Reads pieces on a connection that is used for nothing else, one answer at a time: when one is there, nobody needs what the
 * socket received for it, and its memory is given back. Left to V8, it would be tens of megabytes before they are collected.
 */
export const makePieceReader = Effect.fnUntraced(function* (client: RedisClient) {
  const oneAtATime = yield* Semaphore.make(1)
  const received: Array<Buffer> = []
  const listen = () => client.stream.on("data", (bytes: Buffer) => received.push(bytes))
  listen()
  client.on("connect", listen)

  /** What was received for an answer that failed may still be put together; it goes with the next one. */
  const answered = async (key: string, from: number, to: number) => {
    const stored = (await client.lrangeBuffer(key, from, to)).map(ownOf)
    for (const bytes of received.splice(0)) giveBack(bytes)
    return stored
  }

  return (key: string, from: number, to: number) =>
    Effect.tryPromise({
      try: () => answered(key, from, to),
      catch: (cause) => new RedisFailure({ cause }),
    }).pipe(Effect.uninterruptible, oneAtATime.withPermit)
})
