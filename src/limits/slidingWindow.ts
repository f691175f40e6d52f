import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Redis as Client } from "ioredis"
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

const source = readFileSync(new URL("./lua/slidingWindow.lua", import.meta.url), "utf8")
const sha = createHash("sha1").update(source).digest("hex")

const argumentsOf = ({ keys, buckets, count, at }: WindowCall): Array<string | number> => {
  if (at !== undefined && process.env.VITEST === undefined) throw new Error("the time is set by tests only")
  const args: Array<string | number> = [...keys, count, at ?? ""]
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

const failureOf = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

/** All calls in one piece, as a pipeline costs more than it saves for a single one. */
const send = async (client: Client, calls: ReadonlyArray<WindowCall>): Promise<ReadonlyArray<Outcome>> => {
  const [only] = calls
  if (only !== undefined && calls.length === 1) {
    const asked = client.evalsha(sha, only.keys.length, ...argumentsOf(only))
    return [await asked.then((answer) => verdictOf(answer, only.buckets), failureOf)]
  }
  const pipeline = client.pipeline()
  for (const call of calls) pipeline.evalsha(sha, call.keys.length, ...argumentsOf(call))
  const answers = (await pipeline.exec()) ?? []
  return calls.map((call, i) => {
    const [error, answer] = answers[i] ?? [new Error("no answer")]
    return error === null ? verdictOf(answer, call.buckets) : error
  })
}

const isUnknownScript = (outcome: Outcome | undefined) =>
  outcome instanceof Error && outcome.message.startsWith("NOSCRIPT")

/** Asks the windows in Redis. Every call has an outcome of its own; a failed one may have charged, but admitted nobody. */
export const askWindows = async (client: Client, calls: ReadonlyArray<WindowCall>): Promise<ReadonlyArray<Outcome>> => {
  const outcomes = await send(client, calls)
  const unheard = calls.filter((_, i) => isUnknownScript(outcomes[i]))
  if (unheard.length === 0) return outcomes
  await client.script("LOAD", source)
  const again = [...(await send(client, unheard))]
  return outcomes.map((outcome) => (isUnknownScript(outcome) ? (again.shift() ?? outcome) : outcome))
}
