import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { WebSocket } from "ws"
import { poll } from "#src/platform/embedded/waiting.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import type { Noted } from "../support/live.ts"
import { foundationRuntime } from "./foundation.ts"

const settleWithin = 5_000
/** In which all comes that is still on its way, unless it comes too late: whoever looks at what came reads nothing meanwhile. */
const quietFor = 1_000

export const runtime = foundationRuntime()
export const redis = await runtime.runPromise(Redis)

export const now = () => performance.timeOrigin + performance.now()

let phase: "hearing" | "settling" | "over" = "hearing"
const sockets: Array<WebSocket> = []
const readers: Array<Client> = []

export const isHearing = () => phase === "hearing"

export const endpointsAt = (venue: string) => runtime.runPromise(Effect.provide(Endpoints, Endpoints.at(venue)))

/** Notes what a socket of the venue says. */
export const listen = (
  url: string,
  hear: (noted: Noted) => void,
  { hello, headers = {} }: { readonly hello?: string; readonly headers?: Readonly<Record<string, string>> },
) =>
  new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    sockets.push(socket)
    socket.on("open", () => {
      if (hello !== undefined) socket.send(hello)
      resolve()
    })
    socket.on("message", (data) => hear({ at: now(), text: String(data) }))
    socket.on("error", reject)
    socket.on("close", () => {
      if (isHearing()) throw new Error(`${url} was closed`)
    })
  })

/** Entries from now on, each with the moment at which it could be read. */
export const follow = async (
  streams: ReadonlyArray<string>,
  take: (id: string, fields: ReadonlyArray<string>, at: number) => void,
) => {
  const client = redis.workers.duplicate()
  readers.push(client)
  const last = new Map<string, string>()
  for (const stream of streams) {
    const [newest] = await client.xrevrange(stream, "+", "-", "COUNT", 1)
    last.set(stream, newest?.[0] ?? "0-0")
  }
  const read = async () => {
    while (phase !== "over") {
      const found = await client.xread("BLOCK", 0, "STREAMS", ...last.keys(), ...last.values())
      const at = now()
      for (const [stream, entries] of found ?? []) {
        for (const [id, fields] of entries) {
          last.set(stream, id)
          take(id, fields, at)
        }
      }
    }
  }
  read().catch((error) => {
    if (phase !== "over") throw error
  })
}

export const hearNoMore = async () => {
  phase = "settling"
  for (const socket of sockets) socket.terminate()
  await setTimeout(quietFor)
}

/** Waits for what is still on its way, then reads no more. */
export const settled = async (isComplete: () => boolean) => {
  await runtime.runPromise(
    poll(
      Effect.sync(() => isComplete() || undefined),
      { forMillis: settleWithin, everyMillis: 100 },
    ),
  )
  phase = "over"
  for (const reader of readers) reader.disconnect()
}
