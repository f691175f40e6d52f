import type { RawLog } from "../model.ts"
import type { RecordedBlock, RecordedChain } from "./RecordedChain.ts"

const polygon = "0x89"
/** The code for what a node has deleted and will not get again: it is not asked twice. */
const prunedHistory = 4444

class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const quantity = (value: number) => `0x${value.toString(16)}`

const lowerList = (value: unknown): ReadonlyArray<string> | undefined =>
  value === undefined || value === null ? undefined : [value].flat().map((one) => String(one).toLowerCase())

const filterOf = ({ address, topics }: Fields) => {
  const addresses = lowerList(address)
  const wanted = (Array.isArray(topics) ? topics : []).map(lowerList)
  return (log: RawLog) =>
    (addresses?.includes(log.address.toLowerCase()) ?? true) &&
    wanted.every((any, i) => any === undefined || any.includes(log.topics[i]?.toLowerCase() ?? ""))
}

export interface RpcOptions {
  readonly chain: RecordedChain
  readonly now: () => number
  /** Asked about contracts if the recording has no answer. */
  readonly call?: ((params: ReadonlyArray<unknown>) => Promise<unknown>) | undefined
}

/** Answers the calls of a ledger from a recorded chain. */
export const makeRpc = ({ chain, now, call }: RpcOptions) => {
  const numberOf = (name: unknown): number => {
    if (name === "latest" || name === "pending" || name === undefined) return chain.head?.number ?? -1
    if (name === "finalized" || name === "safe") return chain.finalized(now())?.number ?? -1
    return Number(name)
  }
  const blockNamed = (name: unknown): RecordedBlock["raw"] | null =>
    name === "earliest" ? (chain.earliest ?? null) : (chain.byNumber(numberOf(name))?.raw ?? null)

  const blocksOf = (filter: Fields): ReadonlyArray<RecordedBlock> => {
    if (typeof filter["blockHash"] === "string") {
      const block = chain.byHash(filter["blockHash"])
      if (block === undefined) throw new RpcError(-32_000, "unknown block")
      return [block]
    }
    const [from, to] = [numberOf(filter["fromBlock"]), numberOf(filter["toBlock"])]
    const last = Math.min(to, chain.head?.number ?? -1)
    return Array.from({ length: Math.max(0, last - from + 1) }, (_, i) => chain.byNumber(from + i)).filter(
      (block) => block !== undefined,
    )
  }

  const callContract = async (params: ReadonlyArray<unknown>) => {
    const { to, data } = fieldsOf(params[0])
    const known = chain.balances(String(to), String(data))
    if (known !== undefined) return known
    if (call !== undefined) return call(params)
    throw new RpcError(prunedHistory, "the recording does not have this state")
  }

  const methods: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>> = {
    eth_chainId: () => polygon,
    net_version: () => String(Number(polygon)),
    eth_blockNumber: () => quantity(chain.head?.number ?? 0),
    eth_getBlockByNumber: ([name]) => blockNamed(name),
    eth_getBlockByHash: ([hash]) => chain.byHash(String(hash))?.raw ?? null,
    eth_getLogs: ([filter]) =>
      blocksOf(fieldsOf(filter)).flatMap(({ logs }) => logs.filter(filterOf(fieldsOf(filter)))),
    eth_call: callContract,
  }

  const answerOne = async (request: unknown) => {
    const { id = null, method, params } = fieldsOf(request)
    try {
      const run = Object.hasOwn(methods, String(method)) ? methods[String(method)] : undefined
      if (run === undefined) throw new RpcError(-32_601, `the method ${String(method)} is not recorded`)
      return { jsonrpc: "2.0", id, result: await run(Array.isArray(params) ? params : []) }
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_603
      return { jsonrpc: "2.0", id, error: { code, message: error instanceof Error ? error.message : String(error) } }
    }
  }

  return (request: unknown): Promise<unknown> =>
    Array.isArray(request) ? Promise.all(request.map(answerOne)) : answerOne(request)
}
