import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { LogFilter } from "#src/simulator/chain/Chain.ts"
import { callMethod } from "#src/simulator/chain/rpc/methods.ts"
import { laggingView } from "#src/simulator/chain/rpc/params.ts"
import { toChunks } from "#src/simulator/wire.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { burnLogs, rampLogs, tokenLogs } from "#src/upstream/chain/logFilters.ts"

const wanted = [tokenLogs, rampLogs, burnLogs]

/** The logs of one filter, one after the other, and where those of each block begin. */
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

const asFilter = ({ address, topics }: (typeof wanted)[number]): LogFilter => ({
  fromBlock: 0,
  toBlock: 0,
  addresses: new Set(address),
  topics: topics.map((each) => (each === null ? undefined : new Set(each))),
})

const render = (simulation: Simulation, last: number): ReadonlyArray<StoredLogs> => {
  const { block } = simulation.model.world.facts
  const filters = wanted.map(asFilter)
  const stored = wanted.map(() => new StoredLogs())
  const end = block.lowerBound(last - firstBlock + 1)
  for (let act = 0; act < end; act = block.lowerBound(block.get(act) + 1)) {
    const height = block.get(act) + firstBlock
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

/** A node that has its answers ready, as one on another machine has: it costs this machine next to nothing. */
export const serveStored = async (simulation: Simulation, last: number): Promise<number> => {
  const stored = render(simulation, last)
  const filterTexts = wanted.map(({ topics }) => JSON.stringify(topics))
  const sight = laggingView(simulation, simulation.head - last)
  const resultOf = ({ method, params }: Request): Buffer => {
    const [filter] = params
    if (method !== "eth_getLogs" || filter === undefined) {
      return Buffer.concat(toChunks(callMethod(sight, method, params)))
    }
    const logs = stored[filterTexts.indexOf(JSON.stringify(filter.topics))]
    if (logs === undefined) throw new Error("a filter whose logs are not stored")
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
      const asked: Request | ReadonlyArray<Request> = JSON.parse(Buffer.concat(chunks).toString())
      const parts = Array.isArray(asked)
        ? asked.flatMap((each: Request, i) => [Buffer.from(i === 0 ? "[" : ","), ...answer(each)])
        : answer(asked as Request)
      if (Array.isArray(asked)) parts.push(Buffer.from("]"))
      outgoing.writeHead(200, { "content-type": "application/json" }).end(Buffer.concat(parts))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}
