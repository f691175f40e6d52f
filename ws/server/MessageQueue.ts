import { Effect, type Semaphore } from "effect"
import { Refusal, refusalFrame } from "#src/streams/protocol/Refusal.ts"
import type { Keeper } from "../channel/KeptBytes.ts"
import { isLarge, readLargeMessage } from "./readLargeMessage.ts"
import { readMessage } from "./readMessage.ts"
import type { SessionProtocol } from "./SessionProtocol.ts"

/** Name under which waiting messages are counted. */
const waitingBytes = "waiting"
/** Besides its text, what a waiting message takes. */
const messageBytes = 100

/** A message that waits; undefined if it was binary. */
type Message = string | undefined

const bytesOf = (message: Message) => messageBytes + (message?.length ?? 0)

/** Handles the messages of a client one after the other. An idle socket has no fiber. */
export class MessageQueue {
  readonly #protocol: SessionProtocol
  readonly #largeMessages: Semaphore.Semaphore
  #waiting: Array<Message> = []
  #bytes = 0
  #isBusy = false

  /** `largeMessages` limits how many large messages of all clients are handled at the same time. */
  constructor(protocol: SessionProtocol, largeMessages: Semaphore.Semaphore) {
    this.#protocol = protocol
    this.#largeMessages = largeMessages
  }

  /** Whose limit a further message would exceed. */
  exceeded(message: Message): Keeper | undefined {
    return this.#protocol.connection.kept.exceeded(waitingBytes, this.#bytes + bytesOf(message))
  }

  /** Returns the effect that handles the queue, unless it is running already. */
  add(message: Message): Effect.Effect<void> | undefined {
    this.#waiting.push(message)
    this.#count(bytesOf(message))
    if (this.#isBusy) return undefined
    this.#isBusy = true
    return Effect.ensuring(
      this.#handleAll,
      Effect.sync(() => {
        this.#isBusy = false
      }),
    )
  }

  readonly #handleAll: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { connection } = this.#protocol
    while (this.#waiting.length > 0 && !connection.isClosed) {
      const message = this.#waiting.shift()
      yield* this.#handle(message).pipe(
        Effect.catch((refusal) => Effect.sync(() => connection.send(refusalFrame(refusal)))),
        Effect.catchDefect((defect) => {
          connection.close("internal", 1000)
          return Effect.logError("failed to handle a client message", defect)
        }),
      )
      this.#count(-bytesOf(message))
    }
    this.#waiting = []
    this.#count(-this.#bytes)
  })

  #handle(message: Message): Effect.Effect<void, Refusal> {
    if (message === undefined) return Effect.fail(binaryMessage)
    const { connection } = this.#protocol
    const request = isLarge(message) ? readLargeMessage(message) : Effect.fromResult(readMessage(message))
    const handle = Effect.flatMap(request, (read) => (connection.isClosed ? Effect.void : this.#protocol.handle(read)))
    return isLarge(message) ? this.#largeMessages.withPermits(1)(handle) : handle
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#protocol.connection.kept.keep(waitingBytes, this.#bytes)
  }
}

const binaryMessage = new Refusal({ code: "invalid_message", message: "messages are JSON in text frames, not binary" })
