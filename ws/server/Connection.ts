import type { Caller } from "#src/domain/Account.ts"
import type { Client } from "#src/streams/access/Admission.ts"
import type { Disconnect } from "#src/streams/access/RecentDisconnects.ts"
import { type CloseReason, closeCodes } from "#src/streams/protocol/closeCodes.ts"
import type { Subscriber } from "../channel/Channel.ts"
import type { Frame } from "../channel/Frame.ts"
import type { KeptForConnection } from "../channel/KeptBytes.ts"
import type { Topics } from "./Topics.ts"

/** A socket of the server. None of its functions may be called after it is closed. */
export interface Socket {
  readonly text: (text: string) => void
  readonly binary: (bytes: Uint8Array) => void
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Batches everything that `send` sends into one network write. */
  readonly cork: (send: () => void) => void
  /** Bytes not yet taken by the network. */
  readonly buffered: () => number
  readonly end: (code: number, reason: string) => void
  /** Closes without waiting for unread bytes. */
  readonly terminate: () => void
}

/** The share of `ws.buffer` that a replay fills before it pauses, and below which it continues. */
const replayShare = 1 / 2
const resumeShare = 1 / 4

/** One socket: its topics, the bytes sent to it and how far behind it is. */
export class Connection implements Subscriber {
  readonly id: string
  readonly client: Client
  readonly kept: KeptForConnection
  /** Plan and limits may change while the connection is open. */
  caller: Caller
  isClosed = false
  isBehind = false
  /** Set when the gateway ends the connection. */
  endedFor: CloseReason | undefined
  /** Why the client's previous connection was cut, until it has been reported. */
  lastClose: Disconnect | undefined
  /** Added to the channel's own warnings in the next acknowledgement. */
  warnings: ReadonlyArray<string> = []
  /** Since when too much is buffered. */
  slowSince: number | undefined
  lastMessageAt: number
  heartbeatAt: number
  readonly #socket: Socket
  readonly #topics: Topics
  readonly #bufferLimit: () => number
  readonly #ackFields: () => Readonly<Record<string, unknown>>
  /** Joined topics, and the bytes each had sent when they were last charged. */
  readonly #joined = new Map<string, number>()
  #subscriptions = 0
  #bytes = 0

  constructor(options: {
    readonly id: string
    readonly socket: Socket
    readonly client: Client
    readonly kept: KeptForConnection
    readonly topics: Topics
    readonly bufferLimit: () => number
    /** Fields of every acknowledgement. */
    readonly ackFields: () => Readonly<Record<string, unknown>>
    readonly now: number
    readonly heartbeatAt: number
  }) {
    this.id = options.id
    this.client = options.client
    this.kept = options.kept
    this.caller = options.client.caller
    this.#socket = options.socket
    this.#topics = options.topics
    this.#bufferLimit = options.bufferLimit
    this.#ackFields = options.ackFields
    this.lastMessageAt = options.now
    this.heartbeatAt = options.heartbeatAt
  }

  get subscriptionsMade(): number {
    return this.#subscriptions
  }

  get buffered(): number {
    return this.isClosed ? 0 : this.#socket.buffered()
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
    if (this.isClosed) return
    const { type, ...rest } = message
    const text = JSON.stringify(
      type === "subscribed" || type === "updated" ? this.#acknowledgement(type, rest) : message,
    )
    this.#bytes += Buffer.byteLength(text)
    this.#socket.text(text)
  }

  readonly deliver = (frame: Frame): void => {
    if (this.isClosed) return
    if (this.client.isDeflated) {
      this.#bytes += frame.deflated.length
      this.#socket.binary(frame.deflated)
    } else {
      this.#bytes += frame.textBytes
      this.#socket.text(frame.text)
    }
  }

  readonly deliverAll = (frames: ReadonlyArray<Frame>): void => {
    if (this.isClosed) return
    this.#socket.cork(() => {
      for (const frame of frames) this.deliver(frame)
    })
  }

  readonly join = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.client.isDeflated)
    if (this.isClosed || this.#joined.has(name)) return
    this.#joined.set(name, this.#topics.joined(name))
    this.#socket.subscribe(name)
  }

  readonly leave = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.client.isDeflated)
    if (!this.#leaveTopic(name) || this.isClosed) return
    this.#socket.unsubscribe(name)
  }

  readonly nextSubscriptionId = (): string => `${this.id}:${++this.#subscriptions}`

  /** Bytes sent since the last call. */
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

  /** Sends the reason and when to reconnect, then closes. */
  close(reason: CloseReason, retryAfterMillis?: number): void {
    if (this.isClosed) return
    const { code, meaning } = closeCodes[reason]
    const retry = retryAfterMillis === undefined ? {} : { retry_after_ms: Math.round(retryAfterMillis) }
    this.endedFor = reason
    this.send({ type: "closing", code, reason: meaning, ...retry })
    this.#socket.end(code, meaning)
  }

  /** For a socket that does not read and would never see a close frame. */
  terminate(reason: CloseReason): void {
    if (this.isClosed) return
    this.endedFor = reason
    this.#socket.terminate()
  }

  onClose(): void {
    this.isClosed = true
    for (const name of [...this.#joined.keys()]) this.#leaveTopic(name)
    this.kept.close()
  }

  #acknowledgement(type: string, rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const lastClose = this.lastClose === undefined ? {} : { last_close: this.lastClose }
    const own = Array.isArray(rest["warnings"]) ? rest["warnings"] : []
    const warnings = [...own, ...this.warnings]
    this.lastClose = undefined
    this.warnings = []
    return { type, subscriber_id: this.id, ...this.#ackFields(), ...rest, warnings, ...lastClose }
  }

  /** Charges the bytes received from the topic; false if it was not joined. */
  #leaveTopic(name: string): boolean {
    const before = this.#joined.get(name)
    if (before === undefined) return false
    this.#bytes += this.#topics.bytesOf(name) - before
    this.#joined.delete(name)
    this.#topics.left(name)
    return true
  }
}
