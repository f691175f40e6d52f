import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { WebSocket } from "ws"
import { poll } from "#src/platform/embedded/waiting.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import type { ReceivedMessage } from "../support/live.ts"
import { foundationRuntime } from "./foundation.ts"

const drainWithin = 5_000
/** Time for pending entries to arrive: evaluating the results blocks further reading. */
const quietFor = 1_000

export const runtime = foundationRuntime()
export const redis = await runtime.runPromise(Redis)

export const now = () => performance.timeOrigin + performance.now()

let phase: "listening" | "draining" | "done" = "listening"
const sockets: Array<WebSocket> = []
const readers: Array<Client> = []

export const isListening = () => phase === "listening"

export const endpointsAt = (venue: string) => runtime.runPromise(Effect.provide(Endpoints, Endpoints.at(venue)))

/** Records the messages of a venue socket. */
export const listen = (
  url: string,
  onMessage: (message: ReceivedMessage) => void,
  { subscribe, headers = {} }: { readonly subscribe?: string; readonly headers?: Readonly<Record<string, string>> },
) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    sockets.push(socket)
    socket.on("open", () => {
      if (subscribe !== undefined) socket.send(subscribe)
      resolve()
    })
    socket.on("message", (data) => onMessage({ at: now(), text: String(data) }))
    socket.on("error", reject)
    socket.on("close", () => {
      if (isListening()) throw new Error(`${url} was closed`)
    })
  })

/** Follows new entries, each with the time at which it could be read. */
export const follow = async (
  streams: ReadonlyArray<string>,
  onEntry: (id: string, fields: ReadonlyArray<string>, at: number) => void,
) => {
  const client = redis.workers.duplicate()
  readers.push(client)
  const last = new Map<string, string>()
  for (const stream of streams) {
    const [newest] = await client.xrevrange(stream, "+", "-", "COUNT", 1)
    last.set(stream, newest?.[0] ?? "0-0")
  }
  const read = async () => {
    while (phase !== "done") {
      const found = await client.xread("BLOCK", 0, "STREAMS", ...last.keys(), ...last.values())
      const at = now()
      for (const [stream, entries] of found ?? []) {
        for (const [id, fields] of entries) {
          last.set(stream, id)
          onEntry(id, fields, at)
        }
      }
    }
  }
  read().catch((error) => {
    if (phase !== "done") throw error
  })
}

export const stopListening = async () => {
  phase = "draining"
  for (const socket of sockets) socket.terminate()
  await setTimeout(quietFor)
}

/** Waits for pending entries, then stops reading. */
export const drain = async (isComplete: () => boolean) => {
  await runtime.runPromise(
    poll(
      Effect.sync(() => isComplete() || undefined),
      { forMillis: drainWithin, everyMillis: 100 },
    ),
  )
  phase = "done"
  for (const reader of readers) reader.disconnect()
}
