import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { LogFilter } from "#src/simulator/chain/Chain.ts"
import { callMethod } from "#src/simulator/chain/rpc/methods.ts"
import { laggingView } from "#src/simulator/chain/rpc/params.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { toChunks } from "#src/simulator/wire.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { wantedLogs } from "#src/upstream/chain/logFilters.ts"

/** Concatenated logs of one filter, with the offset of each block. */
class StoredLogs {
  readonly #parts: Array<Buffer> = []
  readonly #blocks: Array<number> = []
  readonly #offsets: Array<number> = []
  #length = 0
  #bytes = Buffer.alloc(0)

  add(block: number, texts: ReadonlyArray<string>): void {
    if (texts.length === 0) return
    const part = Buffer.from(`${texts.join(",")},`, "latin1")
    this.#blocks.push(block)
    this.#offsets.push(this.#length)
    this.#parts.push(part)
    this.#length += part.length
  }

  seal(): void {
    this.#bytes = Buffer.concat(this.#parts)
    this.#parts.length = 0
  }

  between(from: number, to: number): Buffer {
    const [start, end] = [this.#offsetOf(from), this.#offsetOf(to + 1)]
    return this.#bytes.subarray(start, Math.max(start, end - 1))
  }

  #offsetOf(block: number): number {
    let [low, high] = [0, this.#blocks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#blocks[middle] ?? 0) < block) low = middle + 1
      else high = middle
    }
    return this.#offsets[low] ?? this.#length
  }
}

const asFilter = ({ address, topics }: (typeof wantedLogs)[number]): LogFilter => ({
  fromBlock: 0,
  toBlock: 0,
  addresses: new Set(address),
  topics: topics.map((each) => (each === null ? undefined : new Set(each))),
})

const collectLogs = (simulation: Simulation, last: number): ReadonlyArray<StoredLogs> => {
  const { block } = simulation.model.world.facts
  const filters = wantedLogs.map(asFilter)
  const stored = wantedLogs.map(() => new StoredLogs())
  const end = block.lowerBound(last - firstBlock + 1)
  for (let tx = 0; tx < end; tx = block.lowerBound(block.get(tx) + 1)) {
    const height = block.get(tx) + firstBlock
    const found = simulation.chain.logTextsFor({ fromBlock: height, toBlock: height }, filters)
    found.forEach((texts, i) => {
      stored[i]?.add(height, texts)
    })
  }
  for (const each of stored) each.seal()
  return stored
}

interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string; readonly topics: unknown }>
}

/** A node with prepared responses. Like a remote node, it uses almost no CPU of this machine. */
export const serveStored = async (simulation: Simulation, last: number): Promise<number> => {
  const stored = collectLogs(simulation, last)
  const filterTexts = wantedLogs.map(({ topics }) => JSON.stringify(topics))
  const view = laggingView(simulation, simulation.head - last)
  const resultOf = ({ method, params }: Request): Buffer => {
    const [filter] = params
    if (method !== "eth_getLogs" || filter === undefined) {
      return Buffer.concat(toChunks(callMethod(view, method, params)))
    }
    const logs = stored[filterTexts.indexOf(JSON.stringify(filter.topics))]
    if (logs === undefined) throw new Error("the logs of this filter are not stored")
    const found = logs.between(Number(filter.fromBlock), Number(filter.toBlock))
    return Buffer.concat([Buffer.from("["), found, Buffer.from("]")])
  }
  const answer = (request: Request) => [
    Buffer.from(`{"jsonrpc":"2.0","id":${request.id},"result":`),
    resultOf(request),
    Buffer.from("}"),
  ]
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const payload: Request | ReadonlyArray<Request> = JSON.parse(Buffer.concat(chunks).toString())
      const parts = Array.isArray(payload)
        ? payload.flatMap((each: Request, i) => [Buffer.from(i === 0 ? "[" : ","), ...answer(each)])
        : answer(payload as Request)
      if (Array.isArray(payload)) parts.push(Buffer.from("]"))
      outgoing.writeHead(200, { "content-type": "application/json" }).end(Buffer.concat(parts))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}
