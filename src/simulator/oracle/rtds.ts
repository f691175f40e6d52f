import { hexOf, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireSocket } from "../wire.ts"
import {
  type MessageAttributes,
  type Publish,
  parseRtdsFrame,
  type RtdsMessage,
  type RtdsSource,
  type RtdsSubscription,
} from "./rtdsFrames.ts"
import { rtdsPrices } from "./rtdsPrices.ts"

const keyOf = ({ topic, type, filter }: RtdsSubscription) => `${topic} ${type} ${filter?.key ?? ""}`

const covers = (subscribed: string, type: string) => subscribed === "*" || subscribed === type

class Connection {
  readonly #id: string
  readonly #sim: Simulation
  readonly #socket: WireSocket
  readonly #subscriptions = new Map<string, RtdsSubscription>()

  constructor(id: string, sim: Simulation, socket: WireSocket) {
    this.#id = id
    this.#sim = sim
    this.#socket = socket
  }

  isSubscribed(topic: string, type: string, attributes: MessageAttributes): boolean {
    for (const subscription of this.#subscriptions.values()) {
      if (
        subscription.topic === topic &&
        covers(subscription.type, type) &&
        (subscription.filter?.matches(attributes) ?? true)
      )
        return true
    }
    return false
  }

  send({ topic, type, payload }: RtdsMessage): void {
    // Snapshots do not name the connection.
    const connection = type === "subscribe" ? {} : { connection_id: this.#id }
    this.#socket.send(JSON.stringify({ ...connection, topic, type, timestamp: Math.floor(this.#sim.now()), payload }))
  }

  refuse(topic: string): void {
    this.#socket.send(
      JSON.stringify({ body: { message: `leger GetTopics error: ${topic} not found` }, statusCode: 401 }),
    )
  }

  subscribe(subscription: RtdsSubscription): void {
    this.#subscriptions.set(keyOf(subscription), subscription)
  }

  /** Without a filter, removes all subscriptions of the topic and type. */
  unsubscribe({ topic, type, filter }: RtdsSubscription): void {
    for (const [key, subscription] of this.#subscriptions) {
      const matches = subscription.topic === topic && covers(type, subscription.type)
      if (matches && (filter === undefined || filter.key === subscription.filter?.key)) this.#subscriptions.delete(key)
    }
  }
}

/** The platform's real-time socket: prices plus the topics of further sources. */
export const rtdsSocket = (sim: Simulation, further: ReadonlyArray<RtdsSource> = []): SocketService => {
  const sources = [rtdsPrices(sim), ...further]
  const connections = new Set<Connection>()
  const ids = seedOf(0, "rtds connections")
  let opened = 0

  const publish: Publish = (topic, type, attributes, payload) => {
    let message: RtdsMessage | undefined
    for (const connection of connections) {
      if (!connection.isSubscribed(topic, type, attributes)) continue
      message ??= { topic, type, payload: payload() }
      connection.send(message)
    }
  }
  for (const source of sources) source.start(publish)

  const subscribe = (connection: Connection, subscription: RtdsSubscription) => {
    if (subscription.filter?.isSpaced !== true) connection.subscribe(subscription)
    const { topic, filter } = subscription
    if (filter === undefined) return
    for (const source of sources) for (const message of source.snapshots(topic, filter)) connection.send(message)
  }

  const receive = (connection: Connection, text: string) => {
    const frame = parseRtdsFrame(text)
    const unknown = frame?.subscriptions.find(({ topic }) => !sources.some(({ topics }) => topics.includes(topic)))
    // One unknown topic silences all subscriptions of a frame.
    if (unknown !== undefined) return connection.refuse(unknown.topic)
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
      // Pings are answered with an empty message.
      if (text.trim().toUpperCase() === "PING") socket.send("")
      else receive(connection, text)
    }
    socket.onClose = () => connections.delete(connection)
  }
}
