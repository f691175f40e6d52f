import { hash, hexOf, seedOf } from "../../random.ts"
import type { Simulation } from "../../Simulation.ts"
import {
  type Chunks,
  jsonText,
  type Service,
  type SocketService,
  toChunks,
  toText,
  type WireSocket,
} from "../../wire.ts"
import { headerOf } from "./blocks.ts"
import { batchCalls, callMethod } from "./methods.ts"
import { booleanParam, laggingView, logCriteria } from "./params.ts"
import { profileOf, withProfile } from "./profiles.ts"
import { type BatchCalls, type Call, errorCode, invalidArgument, isObject, RpcError, respond } from "./protocol.ts"
import { transactionOf } from "./transactions.ts"

/** A Polygon node over HTTP. */
export const rpcService =
  (sim: Simulation): Service<Chunks> =>
  ({ method, body }, blocksBehind = 0) => {
    if (method !== "POST") return { status: 405, headers: { allow: "POST" }, body: [] }
    const profile = profileOf(sim, "http")
    const refused = profile.refuseRequest?.(callsIn(body), sim.head)
    if (refused !== undefined) return { ...refused, body: toChunks(refused.body) }
    const behind = Math.max(blocksBehind, profile.lag !== undefined && isUnlucky(sim) ? profile.lag : 0)
    const node = behind === 0 ? sim : laggingView(sim, behind)
    const calls: BatchCalls = (requests) => withProfile(profile, node, batchCalls(node)(requests))
    return jsonText(respond(body, calls, profile))
  }

const callsIn = (body: string): ReadonlyArray<unknown> => {
  try {
    const request: unknown = JSON.parse(body)
    return Array.isArray(request) ? request : [request]
  } catch {
    return []
  }
}

/** Requests so far: about every fifth goes to another node behind the balancer. */
const balancerSeed = seedOf(0, "balancer")
const requestCounts = new WeakMap<Simulation, number>()

const isUnlucky = (sim: Simulation): boolean => {
  const count = (requestCounts.get(sim) ?? 0) + 1
  requestCounts.set(sim, count)
  return hash(balancerSeed, count) % 5 === 0
}

/** Sends a notification, as JSON text, to a subscriber. */
type Publish = (result: string) => void
type Stop = () => void

const subscribeToLogs = (sim: Simulation, filter: unknown, publish: Publish): Stop => {
  const criteria = logCriteria(filter ?? {}, 1)
  const publishLogs = (fromBlock: number, toBlock: number, removed: boolean) => {
    for (const log of sim.chain.logTexts({ fromBlock, toBlock, ...criteria }, removed)) publish(log)
  }
  const stops = [
    sim.on("reorg", (from, to) => publishLogs(from, to, true)),
    sim.on("block", (block) => publishLogs(block, block, false)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const subscribeToPending = (sim: Simulation, full: boolean, publish: Publish): Stop =>
  sim.on("pending", (tx) => publish(JSON.stringify(full ? transactionOf(sim, tx) : sim.chain.transactionHash(tx))))

/** The subscription of one provider: whole transactions to some contracts. */
const subscribeToFiltered = (sim: Simulation, option: unknown, publish: Publish): Stop => {
  const { toAddress, hashesOnly } = isObject(option) ? option : {}
  const addresses = [toAddress].flat().flatMap((each) => (typeof each === "string" ? [each.toLowerCase()] : []))
  return sim.on("pending", (tx) => {
    const transaction = transactionOf(sim, tx)
    if (addresses.length > 0 && !addresses.includes(transaction.to)) return
    publish(JSON.stringify(hashesOnly === true ? transaction.hash : transaction))
  })
}

/** Starts an `eth_subscribe` subscription. */
const subscribe = (sim: Simulation, params: ReadonlyArray<unknown>, publish: Publish): Stop => {
  const [kind, option] = params
  const { pending } = profileOf(sim, "socket")
  if (kind !== "newPendingTransactions" && kind === pending) {
    return kind === "alchemy_pendingTransactions"
      ? subscribeToFiltered(sim, option, publish)
      : subscribeToPending(sim, true, publish)
  }
  switch (kind) {
    case "newHeads":
      return sim.on("block", (block) => publish(JSON.stringify(headerOf(sim, block))))
    case "logs":
      return subscribeToLogs(sim, option, publish)
    case "newPendingTransactions":
      return subscribeToPending(sim, booleanParam(option ?? false, 1, "full transactions") && kind === pending, publish)
    default:
      throw new RpcError(errorCode.unknownMethod, `no ${JSON.stringify(kind) ?? "such"} subscription in eth namespace`)
  }
}

const subscriptionSeed = seedOf(0, "subscriptions")

/** The subscriptions of one connection. */
class Subscriptions {
  readonly #sim: Simulation
  readonly #socket: WireSocket
  readonly #stops = new Map<string, () => void>()
  #count = 0

  constructor(sim: Simulation, socket: WireSocket) {
    this.#sim = sim
    this.#socket = socket
  }

  add(params: ReadonlyArray<unknown>): string {
    const id = `0x${hexOf(16, subscriptionSeed, ++this.#count)}`
    const prefix = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
    const stop = subscribe(this.#sim, params, (result) => this.#socket.send(`${prefix}${result}}}`))
    this.#stops.set(id, stop)
    return id
  }

  remove(id: unknown): boolean {
    if (typeof id !== "string") throw invalidArgument(0, "subscription id must be a string")
    const stop = this.#stops.get(id)
    if (stop === undefined) throw new RpcError(errorCode.refused, "subscription not found")
    stop()
    return this.#stops.delete(id)
  }

  end(): void {
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }
}

/** A Polygon node over a WebSocket: the same methods, and subscriptions. */
export const rpcSocket =
  (sim: Simulation): SocketService =>
  (socket) => {
    const subscriptions = new Subscriptions(sim, socket)
    const call: Call = (method, params) => {
      if (method === "eth_subscribe") return JSON.stringify(subscriptions.add(params))
      if (method === "eth_unsubscribe") return JSON.stringify(subscriptions.remove(params[0]))
      return callMethod(sim, method, params)
    }
    socket.onMessage = (text) => {
      const response = toText(respond(text, () => call))
      if (response !== "") socket.send(response)
    }
    socket.onClose = () => subscriptions.end()
  }
