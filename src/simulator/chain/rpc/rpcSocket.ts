import { wholeText } from "../../pieces.ts"
import { hexOf, seedOf } from "../../random.ts"
import type { Simulation } from "../../Simulation.ts"
import type { SocketService, WireSocket } from "../../wire.ts"
import { callMethod } from "./methods.ts"
import { answer, type Call } from "./protocol.ts"
import { errorCode, invalid, RpcError } from "./RpcError.ts"
import { subscribe } from "./subscriptions.ts"

const seed = seedOf(0, "subscriptions")

/** What one connection has subscribed to. */
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
    const id = `0x${hexOf(16, seed, ++this.#count)}`
    const before = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":`
    const stop = subscribe(this.#sim, params, (result) => this.#socket.send(`${before}${result}}}`))
    this.#stops.set(id, stop)
    return id
  }

  remove(id: unknown): boolean {
    if (typeof id !== "string") throw invalid(0, "subscription id must be a string")
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
      const answered = wholeText(answer(text, () => call))
      if (answered !== "") socket.send(answered)
    }
    socket.onClose = () => subscriptions.end()
  }
