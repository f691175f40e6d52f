import type { Redis as Client } from "ioredis"
import { loadScript } from "#src/platform/redis/RedisScript.ts"
import type { Buckets, WindowDecision } from "./model.ts"

/** Equal requests of one owner. */
export interface WindowCall {
  /** The ring of each bucket, all in one hash slot. */
  readonly keys: ReadonlyArray<string>
  readonly buckets: Buckets
  readonly count: number
  /** Microseconds, instead of Redis time: for tests only. */
  readonly at?: number
}

const slideScript = loadScript(new URL("./lua/slidingWindow.lua", import.meta.url))

const argumentsOf = ({ buckets, count, at }: WindowCall): Array<string | number> => {
  if (at !== undefined && process.env.VITEST === undefined) throw new Error("only tests may set the time")
  const args: Array<string | number> = [count, at ?? ""]
  for (const { limit, windowMillis } of buckets) args.push(limit, windowMillis * 1000)
  return args
}

const decisionOf = (reply: unknown, buckets: Buckets): WindowDecision => {
  const numbers = reply as ReadonlyArray<number>
  return {
    admitted: numbers[0] as number,
    states: buckets.map((_, i) => ({ remaining: numbers[2 * i + 1] as number, freeAt: numbers[2 * i + 2] as number })),
  }
}

export type WindowResult = WindowDecision | Error

/** Charges the windows in Redis. Each call has its own result; a failed one may have charged, but admitted nothing. */
export const takeFromWindows = async (
  client: Client,
  calls: ReadonlyArray<WindowCall>,
): Promise<ReadonlyArray<WindowResult>> => {
  const replies = await slideScript(
    client,
    calls.map((call) => ({ keys: call.keys, args: argumentsOf(call) })),
  )
  return calls.map(({ buckets }, i) => {
    const reply = replies[i]
    return reply instanceof Error ? reply : decisionOf(reply, buckets)
  })
}
