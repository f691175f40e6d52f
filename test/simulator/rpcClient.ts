import { createPublicClient, custom, type Hex, numberToHex, parseAbiItem } from "viem"
import { rpcService, rpcSocket } from "#src/simulator/chain/rpc/rpcService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { toText, type WireRequest, type WireSocket } from "#src/simulator/wire.ts"

const genesis = 1_794_700_800_000
export const minute = 60_000

export const frozenSimulation = (seed: number) => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale: "brief" }), () => genesis + minute)
  sim.freeze()
  return sim
}

export const orderFilled = parseAbiItem(
  "event OrderFilled(bytes32 indexed orderHash, address indexed maker, address indexed taker, uint8 side, uint256 tokenId, uint256 makerAmountFilled, uint256 takerAmountFilled, uint256 fee, bytes32 builder, bytes32 metadata)",
)

export type Fields = Record<string, unknown>
export interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}
export interface WireLog {
  readonly address: Hex
  readonly topics: [Hex, ...Array<Hex>]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly blockTimestamp: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
  readonly removed: boolean
}

export const wireRequest = (body: string, method = "POST"): WireRequest => ({
  method,
  path: "/",
  query: new URLSearchParams(),
  target: "/",
  headers: {},
  body,
})

export const postText = (sim: Simulation, body: string) => JSON.parse(toText(rpcService(sim)(wireRequest(body)).body))
export const post = (sim: Simulation, method: string, params?: unknown): Answer =>
  postText(sim, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))

const resultOf = ({ result, error }: Answer): unknown => {
  if (error !== undefined) throw Object.assign(new Error(error.message), error)
  return result
}
export const ask = <A>(sim: Simulation, method: string, ...params: ReadonlyArray<unknown>) =>
  resultOf(post(sim, method, params)) as A

export const clientOf = (sim: Simulation) =>
  createPublicClient({
    transport: custom(
      { request: async ({ method, params }) => resultOf(post(sim, method, params)) },
      { retryCount: 0 },
    ),
  })

/** A WebSocket connection to the node that records subscription notifications. */
export const connected = (sim: Simulation) => {
  const received = new Map<string, Array<unknown>>()
  const listeners = new Map<string, (params: Fields) => void>()
  let answered: Answer | undefined
  const socket: WireSocket = {
    send: (text) => {
      const message = JSON.parse(text)
      if (message.method !== "eth_subscription") {
        answered = message
        return
      }
      const { subscription, result } = message.params
      const before = received.get(subscription)
      if (before === undefined) received.set(subscription, [result])
      else before.push(result)
      listeners.get(subscription)?.(message.params)
    },
    close: () => {},
    onMessage: () => {},
    onClose: () => {},
  }
  rpcSocket(sim)(socket, wireRequest(""))
  const request = (method: string, params: unknown) => {
    socket.onMessage(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }))
    return resultOf(answered as Answer)
  }
  return {
    request,
    listeners,
    subscribe: (...params: ReadonlyArray<unknown>) => request("eth_subscribe", params) as string,
    received: <A>(id: string) => [...(received.get(id) ?? [])] as Array<A>,
    close: () => socket.onClose(),
  }
}

export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
export const logsOf = (sim: Simulation, from: number, to: number, more: Fields = {}) =>
  ask<Array<WireLog>>(sim, "eth_getLogs", { fromBlock: numberToHex(from), toBlock: numberToHex(to), ...more })
