import { Effect } from "effect"
import type { Redis as Client } from "ioredis"
import { WebSocket } from "ws"
import { keys } from "#src/mesh/Keys.ts"
import { poll } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { pgArray } from "#src/platform/pgArray.ts"
import { Redis } from "#src/platform/Redis.ts"
import { coins, type TickSource, tickSources } from "#src/ticks/model.ts"
import { burnLogs, rampLogs, tokenLogs } from "#src/upstream/chain/wanted.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { feedIds } from "#src/upstream/oracle/names.ts"
import { rtdsSubscription } from "#src/upstream/oracle/rtdsWire.ts"
import { signedHeaders } from "#src/upstream/oracle/signature.ts"
import { answerAs } from "../support/answerAs.ts"
import { blocksSeen, type HeardBlock, type LiveSubject, type Noted, type Observed, ticksSeen } from "../support/live.ts"
import { foundationRuntime } from "./foundation.ts"

const runtime = foundationRuntime()
const { redis, postgres } = await runtime.runPromise(Effect.all({ redis: Redis, postgres: Postgres }))
const names = keys(redis.prefix)
const echoStream = `${redis.prefix}:bench:echo`
const echoEvery = 50
const settleWithin = 5_000

const now = () => performance.timeOrigin + performance.now()

let phase: "hearing" | "settling" | "over" = "hearing"
const blocks: Array<Promise<HeardBlock>> = []
const told: Record<TickSource, Array<Noted>> = { oracle_data_streams: [], platform_oracle: [] }
const events: Array<Noted> = []
const published = new Map<string, number>()
const echoes: Array<number> = []
const sockets: Array<WebSocket> = []
const readers: Array<Client> = []

const listen = (
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
      if (phase === "hearing") throw new Error(`${url} was closed`)
    })
  })

/** Entries from now on, each with the moment at which it could be read. */
const follow = async (
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

/** Asks what a follower has to ask before it can write anything. */
const logsOf = async (rpc: string, block: number, blockHash: string, heardAt: number): Promise<HeardBlock> => {
  const body = [tokenLogs, rampLogs, burnLogs].map((filter, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getLogs",
    params: [{ blockHash, ...filter }],
  }))
  const answer = await fetch(rpc, { method: "POST", body: JSON.stringify(body) })
  const logs = await answer.text()
  return { block, heardAt, answered: now() - heardAt, logs }
}

const hearHead =
  (rpc: string) =>
  ({ text, at }: Noted) => {
    const { params } = JSON.parse(text) as { readonly params?: { readonly result: Record<"number" | "hash", string> } }
    if (params !== undefined) blocks.push(logsOf(rpc, Number(params.result.number), params.result.hash, at))
  }

const followAll = async () => {
  await follow([names.events], (_, [, text = ""], at) => events.push({ text, at }))
  await follow(
    tickSources.flatMap((source) => coins.map((coin) => names.ticks(coin, source))),
    (id, _, at) => published.set(id, at),
  )
  await follow([echoStream], (_, [, sentAt], at) => echoes.push(at - Number(sentAt)))
}

const listenToAll = async (endpoints: Endpoints["Service"]) => {
  const { rpc = "", rpcSocket = "", rtds, datastreamsSocket, datastreamsCredentials: credentials } = endpoints
  const newHeads = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
  const feeds = `${datastreamsSocket}/api/v1/ws?feedIDs=${coins.map((coin) => feedIds[coin]).join()}`
  const headers = credentials === undefined ? {} : signedHeaders(credentials, feeds, Date.now())
  await listen(rpcSocket, hearHead(rpc), { hello: newHeads })
  await listen(rtds, (noted) => told.platform_oracle.push(noted), { hello: rtdsSubscription })
  await listen(feeds, (noted) => told.oracle_data_streams.push(noted), { headers })
}

const isComplete = ({ blocks, ticks }: Observed) =>
  blocks.every(({ fills, late }) => fills === 0 || late !== null) &&
  tickSources.every((source) => ticks[source].every((late) => late !== null))

answerAs<LiveSubject>({
  watch: async (venue) => {
    await followAll()
    await listenToAll(await runtime.runPromise(Effect.provide(Endpoints, Endpoints.at(venue))))
    setInterval(() => {
      if (phase === "hearing") redis.commands.xadd(echoStream, "MAXLEN", "~", 100, "*", "at", String(now()))
    }, echoEvery)
  },
  observed: async () => {
    phase = "settling"
    for (const socket of sockets) socket.terminate()
    const heard = await Promise.all(blocks)
    const ticksOf = (source: TickSource) => ticksSeen(source, told[source], published)
    const look = (): Observed => ({
      blocks: blocksSeen(heard, events),
      ticks: { oracle_data_streams: ticksOf("oracle_data_streams"), platform_oracle: ticksOf("platform_oracle") },
      redis: echoes,
    })
    await runtime.runPromise(
      poll(
        Effect.sync(() => isComplete(look()) || undefined),
        { forMillis: settleWithin, everyMillis: 100 },
      ),
    )
    phase = "over"
    for (const reader of readers) reader.disconnect()
    return look()
  },
  stored: (numbers) =>
    runtime.runPromise(
      Effect.map(
        postgres.sql<{ block: number; fills: number }>`
          select block, count(*)::int as fills from fill where block = any(${pgArray("int4", numbers)}) group by block`,
        (rows) => rows.map(({ block, fills }) => [block, fills] as const),
      ),
    ),
})
