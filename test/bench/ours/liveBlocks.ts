import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { burnLogs, rampLogs, tokenLogs } from "#src/upstream/chain/logFilters.ts"
import { answerAs } from "../support/answerAs.ts"
import {
  type AnsweredBlock,
  type BlocksSubject,
  blocksSeen,
  fillsIn,
  type HeardBlock,
  type Noted,
} from "../support/live.ts"
import { endpointsAt, follow, hearNoMore, listen, now, redis, runtime, settled } from "./watcher.ts"

const postgres = await runtime.runPromise(Postgres)
const heard: Array<HeardBlock> = []
const events: Array<Noted> = []
let rpc = ""

const hearHead = ({ text, at }: Noted) => {
  const { params } = JSON.parse(text) as { readonly params?: { readonly result: Record<"number" | "hash", string> } }
  if (params !== undefined) heard.push({ block: Number(params.result.number), hash: params.result.hash, heardAt: at })
}

/** Asks what a follower has to ask before it can write anything. */
const answered = async (head: HeardBlock): Promise<AnsweredBlock> => {
  const body = [tokenLogs, rampLogs, burnLogs].map((filter, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_getLogs",
    params: [{ blockHash: head.hash, ...filter }],
  }))
  const askedAt = now()
  const answer = await fetch(rpc, { method: "POST", body: JSON.stringify(body) })
  const logs = await answer.text()
  return { ...head, answered: now() - askedAt, fills: fillsIn(logs) }
}

answerAs<BlocksSubject>({
  watch: async (venue) => {
    const endpoints = await endpointsAt(venue)
    rpc = endpoints.rpc ?? ""
    await follow([keys(redis.prefix).events], (_, [, text = ""], at) => events.push({ text, at }))
    const newHeads = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
    await listen(endpoints.rpcSocket ?? "", hearHead, { hello: newHeads })
  },
  observed: async (since) => {
    await hearNoMore()
    const blocks: Array<AnsweredBlock> = []
    for (const head of heard.filter(({ heardAt }) => heardAt >= since)) blocks.push(await answered(head))
    const look = () => blocksSeen(blocks, events)
    await settled(() => look().every(({ fills, late }) => fills === 0 || late !== null))
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
