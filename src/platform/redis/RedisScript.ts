import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Redis as Client } from "ioredis"

export interface ScriptCall {
  /** All in one hash slot. */
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string | number | Buffer>
}

/** Runs all calls in one piece. Never rejects: a call that failed has its error as outcome. */
export type RunScript = (client: Client, calls: ReadonlyArray<ScriptCall>) => Promise<ReadonlyArray<unknown>>

const failureOf = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

const isUnknownScript = (outcome: unknown) => outcome instanceof Error && outcome.message.startsWith("NOSCRIPT")

/** Lua that Redis is given once and asked to run many times: a file, or several of which the first have what the last needs. */
export const loadScript = (...files: ReadonlyArray<URL>): RunScript => {
  const source = files.map((file) => readFileSync(file, "utf8")).join("\n")
  const sha = createHash("sha1").update(source).digest("hex")

  const send: RunScript = async (client, calls) => {
    const [only] = calls
    // A pipeline costs more than it saves for a single call.
    if (only !== undefined && calls.length === 1)
      return [await client.evalsha(sha, only.keys.length, ...only.keys, ...only.args).catch(failureOf)]
    const pipeline = client.pipeline()
    for (const { keys, args } of calls) pipeline.evalsha(sha, keys.length, ...keys, ...args)
    const answers = (await pipeline.exec()) ?? []
    return calls.map((_, i) => {
      const [error, answer] = answers[i] ?? [new Error("no answer")]
      return error === null ? answer : failureOf(error)
    })
  }

  const sendKnown: RunScript = async (client, calls) => {
    const outcomes = await send(client, calls)
    const unheard = calls.filter((_, i) => isUnknownScript(outcomes[i]))
    if (unheard.length === 0) return outcomes
    await client.script("LOAD", source)
    const again = [...(await send(client, unheard))]
    return outcomes.map((outcome) => (isUnknownScript(outcome) ? again.shift() : outcome))
  }

  return (client, calls) =>
    calls.length === 0
      ? Promise.resolve([])
      : sendKnown(client, calls).catch((cause) => calls.map(() => failureOf(cause)))
}

interface QueuedCall {
  readonly run: RunScript
  readonly call: ScriptCall
  readonly resolve: (outcome: unknown) => void
}

/**
 * Runs calls one by one, but those of the same turn of the event loop are sent together, for thousands of sockets come at
 * once. They reach Redis in the order in which they were made, whatever script they are for.
 */
export const batchScriptCalls = (client: Client): ((run: RunScript, call: ScriptCall) => Promise<unknown>) => {
  let waiting: Array<QueuedCall> = []

  const send = (run: RunScript, together: ReadonlyArray<QueuedCall>) => {
    const calls = together.map(({ call }) => call)
    void run(client, calls).then((outcomes) => {
      for (const [i, { resolve: tell }] of together.entries()) tell(outcomes[i])
    })
  }
  const sendAll = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; ) {
      const { run } = all[from] as QueuedCall
      const next = all.findIndex((each, i) => i > from && each.run !== run)
      const to = next < 0 ? all.length : next
      send(run, all.slice(from, to))
      from = to
    }
  }
  return (run, call) =>
    new Promise((tell) => {
      if (waiting.push({ run, call, resolve: tell }) === 1) setImmediate(sendAll)
    })
}
