import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { wantedLogs } from "#src/upstream/chain/logFilters.ts"
import { expose } from "../support/expose.ts"
import {
  type BlocksSubject,
  blocksSeen,
  fillsIn,
  type QueriedBlock,
  type ReceivedHead,
  type ReceivedMessage,
} from "../support/live.ts"
import { drain, endpointsAt, follow, listen, now, redis, runtime, stopListening } from "./watcher.ts"

const postgres = await runtime.runPromise(Postgres)
const heads: Array<ReceivedHead> = []
const events: Array<ReceivedMessage> = []
let rpc = ""

const onHead = ({ text, at }: ReceivedMessage) => {
  const { params } = JSON.parse(text) as { readonly params?: { readonly result: Record<"number" | "hash", string> } }
  if (params !== undefined)
    heads.push({ block: Number(params.result.number), hash: params.result.hash, receivedAt: at })
}

/** Sends the requests that a follower needs before it can write a block. */
const queryLogs = async (head: ReceivedHead): Promise<QueriedBlock> => {
  const body = wantedLogs.map((filter, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getLogs",
    params: [{ blockHash: head.hash, ...filter }],
  }))
  const sentAt = now()
  const response = await fetch(rpc, { method: "POST", body: JSON.stringify(body) })
  const logs = await response.text()
  return { ...head, queryMillis: now() - sentAt, fills: fillsIn(logs) }
}

expose<BlocksSubject>({
  start: async (venue) => {
    const endpoints = await endpointsAt(venue)
    rpc = endpoints.rpc[0] ?? ""
    await follow([keys(redis.prefix).events], (_, [, text = ""], at) => events.push({ text, at }))
    const newHeads = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
    await listen(endpoints.rpcSocket[0] ?? "", onHead, { subscribe: newHeads })
  },
  observed: async (since) => {
    await stopListening()
    const blocks: Array<QueriedBlock> = []
    for (const head of heads.filter(({ receivedAt }) => receivedAt >= since)) blocks.push(await queryLogs(head))
    const result = () => blocksSeen(blocks, events)
    await drain(() => result().every(({ fills, late }) => fills === 0 || late !== null))
    return result()
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
