import { hexOf, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import { type About, type Filter, frameOf, type Subscription } from "./rtdsFrames.ts"
import { rtdsPrices } from "./rtdsPrices.ts"

export interface RtdsMessage {
  readonly topic: string
  readonly type: string
  readonly payload: object
}

/** Sends a message to everyone who wants it; the payload is only made if somebody does. */
export type Publish = (topic: string, type: string, about: About, payload: () => object) => void

/** Where messages of some topics come from. */
export interface RtdsSource {
  /** What a client with a new filter on a topic is told at once. */
  readonly snapshots: (topic: string, filter: Filter) => ReadonlyArray<RtdsMessage>
  /** Begins to publish; called once. */
  readonly start: (publish: Publish) => void
}

const keyOf = ({ topic, type, filter }: Subscription) => `${topic} ${type} ${filter?.key ?? ""}`

const covers = (asked: string, type: string) => asked === "*" || asked === type

class Connection {
  readonly #id: string
  readonly #sim: Simulation
  readonly #socket: WireSocket
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(id: string, sim: Simulation, socket: WireSocket) {
    this.#id = id
    this.#sim = sim
    this.#socket = socket
  }

  wants(topic: string, type: string, about: About): boolean {
    for (const one of this.#subscriptions.values()) {
      if (one.topic === topic && covers(one.type, type) && (one.filter?.matches(about) ?? true)) return true
    }
    return false
  }

  send({ topic, type, payload }: RtdsMessage): void {
    this.#socket.send(
      JSON.stringify({ connection_id: this.#id, topic, type, timestamp: Math.floor(this.#sim.now()), payload }),
    )
  }

  subscribe(subscription: Subscription): void {
    this.#subscriptions.set(keyOf(subscription), subscription)
  }

  /** Without a filter, whatever is subscribed to of the topic and type. */
  unsubscribe({ topic, type, filter }: Subscription): void {
    for (const [key, one] of this.#subscriptions) {
      const meant = one.topic === topic && covers(type, one.type)
      if (meant && (filter === undefined || filter.key === one.filter?.key)) this.#subscriptions.delete(key)
    }
  }
}

/** The platform's real-time socket. Prices are always served; topics made elsewhere come as further sources. */
export const rtdsSocket = (sim: Simulation, further: ReadonlyArray<RtdsSource> = []): SocketService => {
  const sources = [rtdsPrices(sim), ...further]
  const connections = new Set<Connection>()
  const ids = seedOf(0, "rtds connections")
  let opened = 0

  const publish: Publish = (topic, type, about, payload) => {
    let message: RtdsMessage | undefined
    for (const connection of connections) {
      if (!connection.wants(topic, type, about)) continue
      message ??= { topic, type, payload: payload() }
      connection.send(message)
    }
  }
  for (const source of sources) source.start(publish)

  const subscribe = (connection: Connection, subscription: Subscription) => {
    connection.subscribe(subscription)
    const { topic, filter } = subscription
    if (filter === undefined) return
    for (const source of sources) for (const message of source.snapshots(topic, filter)) connection.send(message)
  }

  const receive = (connection: Connection, text: string) => {
    const frame = frameOf(text)
    for (const subscription of frame?.subscriptions ?? []) {
      if (frame?.action === "subscribe") subscribe(connection, subscription)
      else connection.unsubscribe(subscription)
    }
  }

  return (socket) => {
    opened += 1
    const connection = new Connection(hexOf(8, ids, opened), sim, socket)
    connections.add(connection)
    socket.onMessage = (text) => {
      if (text.trim().toUpperCase() === "PING") socket.send("PONG")
      else receive(connection, text)
    }
    socket.onClose = () => connections.delete(connection)
  }
}
