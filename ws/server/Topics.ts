import type { Publisher } from "../channel/Channel.ts"
import type { Frame } from "../channel/Frame.ts"

/** Publishes to all sockets of a topic. */
export interface Broadcast {
  readonly text: (topic: string, text: string) => void
  readonly binary: (topic: string, bytes: Uint8Array) => void
}

interface TopicStats {
  subscribers: number
  /** Sent to each subscriber so far. */
  bytes: number
}

const deflatedTopic = (topic: string) => `z/${topic}`

/** Counts the subscribers and bytes of each topic, to skip topics without subscribers and to charge for traffic. */
export class Topics implements Publisher {
  readonly #broadcast: Broadcast
  readonly #stats = new Map<string, TopicStats>()

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast
  }

  /** The topic name that a socket joins. */
  nameFor(topic: string, isDeflated: boolean): string {
    return isDeflated ? deflatedTopic(topic) : topic
  }

  /** Returns the bytes sent before, which the socket is not charged for. */
  joined(name: string): number {
    const stats = this.#stats.get(name) ?? { subscribers: 0, bytes: 0 }
    stats.subscribers++
    this.#stats.set(name, stats)
    return stats.bytes
  }

  bytesOf(name: string): number {
    return this.#stats.get(name)?.bytes ?? 0
  }

  left(name: string): void {
    const stats = this.#stats.get(name)
    if (stats !== undefined && --stats.subscribers === 0) this.#stats.delete(name)
  }

  hasSubscribers(topic: string): boolean {
    return this.#stats.has(topic) || this.#stats.has(deflatedTopic(topic))
  }

  publish(topic: string, frame: Frame): void {
    const plain = this.#stats.get(topic)
    if (plain !== undefined) {
      plain.bytes += frame.textBytes
      this.#broadcast.text(topic, frame.text)
    }
    const name = deflatedTopic(topic)
    const deflated = this.#stats.get(name)
    if (deflated !== undefined) {
      deflated.bytes += frame.deflated.length
      this.#broadcast.binary(name, frame.deflated)
    }
  }
}
