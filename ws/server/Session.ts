import type { Effect, Semaphore } from "effect"
import type { MessageRate } from "#src/streams/access/MessageRate.ts"
import type { MeteredSession } from "#src/streams/access/SessionQuota.ts"
import type { CloseReason } from "#src/streams/protocol/closeCodes.ts"
import { Refusal, refusalFrame } from "#src/streams/protocol/Refusal.ts"
import type { Channel } from "../channel/Channel.ts"
import type { Connection } from "./Connection.ts"
import type { EndReason } from "./endReason.ts"
import { MessageQueue } from "./MessageQueue.ts"
import type { SessionProtocol } from "./SessionProtocol.ts"

/** What all sessions of a gateway share. */
export interface GatewayContext {
  readonly run: (effect: Effect.Effect<void>) => void
  readonly now: () => number
  readonly channels: ReadonlyArray<Channel>
  /** Limits how many large messages are handled at the same time. */
  readonly largeMessages: Semaphore.Semaphore
  readonly checkRate: (rate: MessageRate, length: number) => ReturnType<MessageRate["decide"]>
  /** Bills the bytes sent since the last call. */
  readonly charge: (connection: Connection) => void
  /** Records why a connection was cut whose client cannot receive the reason. */
  readonly recordDisconnect: (connection: Connection, reason: CloseReason) => Effect.Effect<void>
  readonly ended: (session: Session, reason: EndReason) => void
}

const retryMillis = 10_000

/** One client from the opening of its socket to its close. */
export class Session {
  readonly connection: Connection
  readonly protocol: SessionProtocol
  /** Set while the time of this connection counts against a daily quota. */
  metered: MeteredSession | undefined
  /** Stops watching the client's key. */
  unwatchKey: () => void = () => undefined
  readonly #queue: MessageQueue
  readonly #rate: MessageRate
  readonly #context: GatewayContext

  constructor(protocol: SessionProtocol, rate: MessageRate, context: GatewayContext) {
    this.connection = protocol.connection
    this.protocol = protocol
    this.#queue = new MessageQueue(protocol, context.largeMessages)
    this.#rate = rate
    this.#context = context
  }

  /** `text` is undefined for binary messages. */
  onMessage(text: string | undefined): void {
    const { connection } = this
    connection.lastMessageAt = this.#context.now()
    const decision = this.#context.checkRate(this.#rate, text?.length ?? 0)
    if (decision === "close") connection.close("flood", retryMillis)
    else if (decision === "refuse") connection.send(refusalFrame(rateExceeded))
    else {
      const exceeded = this.#queue.exceeded(text)
      const work = exceeded === undefined ? this.#queue.add(text) : undefined
      if (work !== undefined) this.#context.run(work)
      if (exceeded !== undefined) connection.close(exceeded === "process" ? "overloaded" : "flood", retryMillis)
    }
  }

  /** The network has taken some of the buffered bytes. */
  onDrain(): void {
    const { connection } = this
    if (!connection.isDrained) return
    connection.isBehind = false
    for (const channel of this.#context.channels) channel.readable(connection)
  }

  /** Too much is buffered: the channels pause until the client has read. */
  fallBehind(): void {
    this.connection.isBehind = true
    for (const channel of this.#context.channels) channel.pause(this.connection)
  }

  /** `reason` is the server's; the gateway's own and a reader that was too slow take precedence. */
  onClose(reason: EndReason): void {
    const { connection } = this
    // Past the hard limit the server closes a socket by itself, and the client gets no reason.
    if (connection.isBehind) this.#context.run(this.#context.recordDisconnect(connection, "slow"))
    connection.isClosed = true
    for (const channel of this.#context.channels) channel.left(connection)
    connection.onClose()
    this.unwatchKey()
    this.#context.charge(connection)
    this.#context.run(this.protocol.releaseAll)
    if (this.metered !== undefined) this.#context.run(this.metered.end)
    this.#context.ended(this, connection.endedFor ?? (connection.isBehind ? "slow" : reason))
  }
}

const rateExceeded = new Refusal({
  code: "too_many_messages",
  message: "message rate exceeded, this message was ignored; combine several requests in one message",
  retryAfterMillis: 1000,
})
