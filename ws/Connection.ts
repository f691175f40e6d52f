import type { Redacted } from "effect"
import type { Caller } from "#src/keys/model.ts"
import type { CloseReason } from "#src/streams/protocol/closeCodes.ts"
import { closeCodes } from "#src/streams/protocol/closeCodes.ts"
import type { Frame } from "./Frame.ts"
import type { Listener } from "./Listener.ts"
import type { Topics } from "./Topics.ts"

/** A socket as the server gives it. None of these may be called once it is closed. */
export interface Socket {
  readonly text: (text: string) => void
  readonly binary: (bytes: Uint8Array) => void
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Bytes that wait to be taken by the network. */
  readonly buffered: () => number
  readonly end: (code: number, reason: string) => void
  /** Without waiting for what it has not read. */
  readonly cut: () => void
}

/** Who may connect, and how they want it. */
export interface Admitted {
  readonly caller: Caller
  readonly key: Redacted.Redacted<string>
  readonly isDeflated: boolean
  /** The connection of this client that ended before, as it says. */
  readonly last: string | undefined
}

/** How much of `ws.buffer` a replay fills before it waits, and what must be left of that before it goes on. */
const replayShare = 1 / 2
const resumeShare = 1 / 4

/** One socket: what it listens to, what it was sent, how far behind it is. */
export class Connection implements Listener {
  readonly id: string
  readonly admitted: Admitted
  readonly openedAt: number
  isGone = false
  isBehind = false
  /** Since when too much waits for it. */
  pressedSince: number | undefined
  heardAt: number
  heartbeatAt: number
  readonly #socket: Socket
  readonly #topics: Topics
  readonly #bufferLimit: () => number
  readonly #acknowledged: () => Readonly<Record<string, unknown>>
  /** Topics, and how many bytes they had sent when this socket came. */
  readonly #joined = new Map<string, number>()
  #subscriptions = 0
  #bytes = 0

  constructor(options: {
    readonly id: string
    readonly socket: Socket
    readonly admitted: Admitted
    readonly topics: Topics
    readonly bufferLimit: () => number
    /** What every acknowledgement says beside its own. */
    readonly acknowledged: () => Readonly<Record<string, unknown>>
    readonly now: number
    readonly heartbeatAt: number
  }) {
    this.id = options.id
    this.admitted = options.admitted
    this.#socket = options.socket
    this.#topics = options.topics
    this.#bufferLimit = options.bufferLimit
    this.#acknowledged = options.acknowledged
    this.openedAt = options.now
    this.heardAt = options.now
    this.heartbeatAt = options.heartbeatAt
  }

  get caller(): Caller {
    return this.admitted.caller
  }

  get subscriptionsMade(): number {
    return this.#subscriptions
  }

  get buffered(): number {
    return this.isGone ? 0 : this.#socket.buffered()
  }

  get hasRoom(): boolean {
    return this.buffered < this.#bufferLimit() * replayShare
  }

  get isOverfull(): boolean {
    return this.buffered > this.#bufferLimit()
  }

  get isDrained(): boolean {
    return this.buffered <= this.#bufferLimit() * resumeShare
  }

  readonly send = (message: Readonly<Record<string, unknown>>): void => {
    if (this.isGone) return
    const { type, ...rest } = message
    const isAcknowledgement = type === "subscribed" || type === "updated"
    const whole = isAcknowledgement ? { type, subscriber_id: this.id, ...this.#acknowledged(), ...rest } : message
    const text = JSON.stringify(whole)
    this.#bytes += Buffer.byteLength(text)
    this.#socket.text(text)
  }

  readonly deliver = (frame: Frame): void => {
    if (this.isGone) return
    if (this.admitted.isDeflated) {
      this.#bytes += frame.deflated.length
      this.#socket.binary(frame.deflated)
    } else {
      this.#bytes += frame.textBytes
      this.#socket.text(frame.text)
    }
  }

  readonly join = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.admitted.isDeflated)
    if (this.isGone || this.#joined.has(name)) return
    this.#joined.set(name, this.#topics.joined(name))
    this.#socket.subscribe(name)
  }

  readonly leave = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.admitted.isDeflated)
    if (!this.#forget(name) || this.isGone) return
    this.#socket.unsubscribe(name)
  }

  readonly nextSubscriptionId = (): string => `${this.id}:${++this.#subscriptions}`

  /** What it was sent since this was last asked. */
  takeBytes(): number {
    for (const [name, before] of this.#joined) {
      const now = this.#topics.bytesOf(name)
      this.#bytes += now - before
      this.#joined.set(name, now)
    }
    const bytes = this.#bytes
    this.#bytes = 0
    return bytes
  }

  /** Says why and when to come back, then closes. */
  end(reason: CloseReason, retryAfterMillis?: number): void {
    if (this.isGone) return
    const { code, meaning } = closeCodes[reason]
    const again = retryAfterMillis === undefined ? {} : { retry_after_ms: Math.round(retryAfterMillis) }
    this.send({ type: "closing", code, reason: meaning, ...again })
    this.#socket.end(code, meaning)
  }

  /** For a socket that does not read: it would never see a close. */
  cut(): void {
    if (!this.isGone) this.#socket.cut()
  }

  /** The socket has closed. */
  closed(): void {
    this.isGone = true
    for (const name of [...this.#joined.keys()]) this.#forget(name)
  }

  /** Charges what it was sent under the topic; false where it was not there. */
  #forget(name: string): boolean {
    const before = this.#joined.get(name)
    if (before === undefined) return false
    this.#bytes += this.#topics.bytesOf(name) - before
    this.#joined.delete(name)
    this.#topics.left(name)
    return true
  }
}
