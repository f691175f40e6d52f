import { type Effect, Result } from "effect"
import type { MessageRate } from "#src/streams/access/MessageRate.ts"
import type { Session } from "#src/streams/access/Sessions.ts"
import type { CloseReason } from "#src/streams/protocol/closeCodes.ts"
import { Refusal, refusalFrame } from "#src/streams/protocol/Refusal.ts"
import type { Connection } from "./Connection.ts"
import type { Conversation } from "./Conversation.ts"
import { Inbox } from "./Inbox.ts"
import type { Channel } from "./Listener.ts"
import { readMessage } from "./readMessage.ts"

/** What visits share. */
export interface House {
  readonly run: (effect: Effect.Effect<void>) => void
  readonly now: () => number
  readonly channels: ReadonlyArray<Channel>
  readonly judge: (rate: MessageRate, length: number) => ReturnType<MessageRate["judge"]>
  readonly charge: (connection: Connection) => void
  /** Keeps the reason for a client that cannot be told now. */
  readonly remember: (connection: Connection, reason: CloseReason) => Effect.Effect<void>
  readonly over: (visit: Visit) => void
}

/** When somebody who sends too much may come back. */
const floodPauseMillis = 10_000

/** A client from the opening of its socket to the close. */
export class Visit {
  readonly connection: Connection
  readonly conversation: Conversation
  session: Session | undefined
  /** Its key is looked after until this is called. */
  unwatch: () => void = () => undefined
  readonly #inbox: Inbox
  readonly #rate: MessageRate
  readonly #house: House

  constructor(conversation: Conversation, rate: MessageRate, house: House) {
    this.connection = conversation.connection
    this.conversation = conversation
    this.#inbox = new Inbox(conversation)
    this.#rate = rate
    this.#house = house
  }

  /** Undefined for what is no text. */
  said(text: string | undefined): void {
    const { connection } = this
    connection.heardAt = this.#house.now()
    const verdict = this.#house.judge(this.#rate, text?.length ?? 0)
    if (verdict === "close") connection.end("flood", floodPauseMillis)
    else if (verdict === "refuse") connection.send(refusalFrame(tooFast))
    else {
      const work = this.#inbox.add(text === undefined ? Result.fail(noText) : readMessage(text))
      if (work !== undefined) this.#house.run(work)
    }
  }

  /** The network has taken some of what waited. */
  drained(): void {
    const { connection } = this
    if (!connection.isDrained) return
    connection.isBehind = false
    for (const channel of this.#house.channels) channel.readable(connection)
  }

  /** Too much waits for it: the streams pass it by until it has read. */
  fallBehind(): void {
    this.connection.isBehind = true
    for (const channel of this.#house.channels) channel.pause(this.connection)
  }

  closed(): void {
    const { connection } = this
    // Past the hard limit the server closes a socket by itself, and its client sees no reason.
    if (connection.isBehind) this.#house.run(this.#house.remember(connection, "slow"))
    connection.isGone = true
    for (const channel of this.#house.channels) channel.left(connection)
    connection.closed()
    this.unwatch()
    this.#house.charge(connection)
    this.#house.run(this.conversation.over)
    if (this.session !== undefined) this.#house.run(this.session.end)
    this.#house.over(this)
  }
}

const tooFast = new Refusal({
  code: "too_many_messages",
  message: "you send more messages than are taken: this one was not; put more into one message",
  retryAfterMillis: 1000,
})
const noText = new Refusal({ code: "invalid_message", message: "messages are JSON in text frames, not binary" })
