import type { Caller } from "#src/domain/Account.ts"
import type { Guest } from "#src/streams/access/Admission.ts"
import type { Farewell } from "#src/streams/access/Farewells.ts"
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
  /** What is sent meanwhile goes to the network together. */
  readonly together: (send: () => void) => void
  /** Bytes that wait to be taken by the network. */
  readonly buffered: () => number
  readonly end: (code: number, reason: string) => void
  /** Without waiting for what it has not read. */
  readonly cut: () => void
}

/** How much of `ws.buffer` a replay fills before it waits, and what must be left of that before it goes on. */
const replayShare = 1 / 2
const resumeShare = 1 / 4

/** One socket: what it listens to, what it was sent, how far behind it is. */
export class Connection implements Listener {
  readonly id: string
  readonly guest: Guest
  readonly openedAt: number
  /** What was agreed may change while it is open. */
  caller: Caller
  isGone = false
  isBehind = false
  /** Why the client's connection before this one was cut off, until it has been told. */
  lastClose: Farewell | undefined
  /** What the next acknowledgement says beside the warnings of its stream. */
  notes: ReadonlyArray<string> = []
  /** Since when too much waits for it. */
  pressedSince: number | undefined
  heardAt: number
  heartbeatAt: number
  readonly #socket: Socket
  readonly #topics: Topics
  readonly #bufferLimit: () => number
  readonly #acknowledged: () => Readonly<Record<string, unknown>>
  readonly #ended: (reason: CloseReason) => void
  /** Topics, and how many bytes they had sent when this socket came. */
  readonly #joined = new Map<string, number>()
  #subscriptions = 0
  #bytes = 0

  constructor(options: {
    readonly id: string
    readonly socket: Socket
    readonly guest: Guest
    readonly topics: Topics
    readonly bufferLimit: () => number
    /** What every acknowledgement says beside its own. */
    readonly acknowledged: () => Readonly<Record<string, unknown>>
    /** Whoever ends it, and why. */
    readonly ended: (reason: CloseReason) => void
    readonly now: number
    readonly heartbeatAt: number
  }) {
    this.id = options.id
    this.guest = options.guest
    this.caller = options.guest.caller
    this.#socket = options.socket
    this.#topics = options.topics
    this.#bufferLimit = options.bufferLimit
    this.#acknowledged = options.acknowledged
    this.#ended = options.ended
    this.openedAt = options.now
    this.heardAt = options.now
    this.heartbeatAt = options.heartbeatAt
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
    const text = JSON.stringify(type === "subscribed" || type === "updated" ? this.#completed(type, rest) : message)
    this.#bytes += Buffer.byteLength(text)
    this.#socket.text(text)
  }

  readonly deliver = (frame: Frame): void => {
    if (this.isGone) return
    if (this.guest.isDeflated) {
      this.#bytes += frame.deflated.length
      this.#socket.binary(frame.deflated)
    } else {
      this.#bytes += frame.textBytes
      this.#socket.text(frame.text)
    }
  }

  readonly deliverAll = (frames: ReadonlyArray<Frame>): void => {
    if (this.isGone) return
    this.#socket.together(() => {
      for (const frame of frames) this.deliver(frame)
    })
  }

  readonly join = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.guest.isDeflated)
    if (this.isGone || this.#joined.has(name)) return
    this.#joined.set(name, this.#topics.joined(name))
    this.#socket.subscribe(name)
  }

  readonly leave = (topic: string): void => {
    const name = this.#topics.nameFor(topic, this.guest.isDeflated)
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
    this.#ended(reason)
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

  #completed(type: string, rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const told = this.lastClose === undefined ? {} : { last_close: this.lastClose }
    const own = Array.isArray(rest["warnings"]) ? rest["warnings"] : []
    const warnings = [...own, ...this.notes]
    this.lastClose = undefined
    this.notes = []
    return { type, subscriber_id: this.id, ...this.#acknowledged(), ...rest, warnings, ...told }
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
