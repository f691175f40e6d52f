import type { Frame } from "./Frame.ts"
import type { Publisher } from "./Listener.ts"

/** Sends to all sockets that a topic has. */
export interface Broadcast {
  readonly text: (topic: string, text: string) => void
  readonly binary: (topic: string, bytes: Uint8Array) => void
}

interface Tally {
  listeners: number
  /** Sent to each of them so far. */
  bytes: number
}

const deflatedTopic = (topic: string) => `z/${topic}`

/** Who listens to what, as far as it takes to send nothing to nobody and to know how much everybody was sent. */
export class Topics implements Publisher {
  readonly #broadcast: Broadcast
  readonly #tallies = new Map<string, Tally>()

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast
  }

  /** The name under which a socket hears a topic. */
  nameFor(topic: string, isDeflated: boolean): string {
    return isDeflated ? deflatedTopic(topic) : topic
  }

  /** Returns how many bytes were sent before, so that the socket is not charged for them. */
  joined(name: string): number {
    const tally = this.#tallies.get(name) ?? { listeners: 0, bytes: 0 }
    tally.listeners++
    this.#tallies.set(name, tally)
    return tally.bytes
  }

  bytesOf(name: string): number {
    return this.#tallies.get(name)?.bytes ?? 0
  }

  left(name: string): void {
    const tally = this.#tallies.get(name)
    if (tally !== undefined && --tally.listeners === 0) this.#tallies.delete(name)
  }

  hasListeners(topic: string): boolean {
    return this.#tallies.has(topic) || this.#tallies.has(deflatedTopic(topic))
  }

  publish(topic: string, frame: Frame): void {
    const plain = this.#tallies.get(topic)
    if (plain !== undefined) {
      plain.bytes += frame.textBytes
      this.#broadcast.text(topic, frame.text)
    }
    const name = deflatedTopic(topic)
    const deflated = this.#tallies.get(name)
    if (deflated !== undefined) {
      deflated.bytes += frame.deflated.length
      this.#broadcast.binary(name, frame.deflated)
    }
  }
}
