import type { Redis as Client } from "ioredis"
import { loadScript } from "#src/platform/redis/RedisScript.ts"
import type { Buckets, Verdict } from "./verdict.ts"

/** Some equal requests of one owner. */
export interface WindowCall {
  /** The ring of each bucket, all in one hash slot. */
  readonly keys: ReadonlyArray<string>
  readonly buckets: Buckets
  readonly count: number
  /** Microseconds, instead of the time of Redis: for tests only. */
  readonly at?: number
}

const slideScript = loadScript(new URL("./lua/slidingWindow.lua", import.meta.url))

const argumentsOf = ({ buckets, count, at }: WindowCall): Array<string | number> => {
  if (at !== undefined && process.env.VITEST === undefined) throw new Error("the time is set by tests only")
  const args: Array<string | number> = [count, at ?? ""]
  for (const { limit, windowMillis } of buckets) args.push(limit, windowMillis * 1000)
  return args
}

const verdictOf = (answer: unknown, buckets: Buckets): Verdict => {
  const numbers = answer as ReadonlyArray<number>
  return {
    admitted: numbers[0] as number,
    places: buckets.map((_, i) => ({ remaining: numbers[2 * i + 1] as number, freeAt: numbers[2 * i + 2] as number })),
  }
}

export type Outcome = Verdict | Error

/** Asks the windows in Redis. Every call has an outcome of its own; a failed one may have charged, but admitted nobody. */
export const askWindows = async (client: Client, calls: ReadonlyArray<WindowCall>): Promise<ReadonlyArray<Outcome>> => {
  const answers = await slideScript(
    client,
    calls.map((call) => ({ keys: call.keys, args: argumentsOf(call) })),
  )
  return calls.map(({ buckets }, i) => {
    const answer = answers[i]
    return answer instanceof Error ? answer : verdictOf(answer, buckets)
  })
}
