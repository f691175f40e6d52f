import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Redis as Client } from "ioredis"

export interface ScriptCall {
  /** All in the same hash slot. */
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string | number | Buffer>
}

/** Runs all calls together. Never rejects: the result of a failed call is its error. */
export type RunScript = (client: Client, calls: ReadonlyArray<ScriptCall>) => Promise<ReadonlyArray<unknown>>

const failureOf = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

const isUnknownScript = (result: unknown) => result instanceof Error && result.message.startsWith("NOSCRIPT")

/** A Lua script that is sent to Redis once and then run by its hash. Several files are joined, definitions first. */
export const loadScript = (...files: ReadonlyArray<URL>): RunScript => {
  const source = files.map((file) => readFileSync(file, "utf8")).join("\n")
  const sha = createHash("sha1").update(source).digest("hex")

  const send: RunScript = async (client, calls) => {
    const [only] = calls
    // For a single call a pipeline costs more than it saves.
    if (only !== undefined && calls.length === 1)
      return [await client.evalsha(sha, only.keys.length, ...only.keys, ...only.args).catch(failureOf)]
    const pipeline = client.pipeline()
    for (const { keys, args } of calls) pipeline.evalsha(sha, keys.length, ...keys, ...args)
    const replies = (await pipeline.exec()) ?? []
    return calls.map((_, i) => {
      const [error, reply] = replies[i] ?? [new Error("no answer")]
      return error === null ? reply : failureOf(error)
    })
  }

  const loadAndSend: RunScript = async (client, calls) => {
    const results = await send(client, calls)
    const rejected = calls.filter((_, i) => isUnknownScript(results[i]))
    if (rejected.length === 0) return results
    await client.script("LOAD", source)
    const retried = [...(await send(client, rejected))]
    return results.map((result) => (isUnknownScript(result) ? retried.shift() : result))
  }

  return (client, calls) =>
    calls.length === 0
      ? Promise.resolve([])
      : loadAndSend(client, calls).catch((cause) => calls.map(() => failureOf(cause)))
}

interface QueuedCall {
  readonly run: RunScript
  readonly call: ScriptCall
  readonly resolve: (result: unknown) => void
}

/**
 * Runs single calls, but sends those of the same turn of the event loop together, because thousands of sockets connect at
 * once. Redis receives them in the order of the calls, across scripts.
 */
export const batchScriptCalls = (client: Client): ((run: RunScript, call: ScriptCall) => Promise<unknown>) => {
  let queue: Array<QueuedCall> = []

  const send = (run: RunScript, batch: ReadonlyArray<QueuedCall>) => {
    const calls = batch.map(({ call }) => call)
    void run(client, calls).then((results) => {
      for (const [i, { resolve }] of batch.entries()) resolve(results[i])
    })
  }
  const sendAll = () => {
    const all = queue
    queue = []
    for (let from = 0; from < all.length; ) {
      const { run } = all[from] as QueuedCall
      const next = all.findIndex((each, i) => i > from && each.run !== run)
      const to = next < 0 ? all.length : next
      send(run, all.slice(from, to))
      from = to
    }
  }
  return (run, call) =>
    new Promise((resolve) => {
      if (queue.push({ run, call, resolve }) === 1) setImmediate(sendAll)
    })
}
