import { Effect, type Result } from "effect"
import type { ClientMessage } from "#src/streams/protocol/client.ts"
import { type Refusal, refusalFrame } from "#src/streams/protocol/Refusal.ts"
import type { Conversation } from "./Conversation.ts"

/** What a client said and has no answer yet. Messages are answered one after the other; an idle socket has no fiber. */
export class Inbox {
  readonly conversation: Conversation
  #waiting: Array<Result.Result<ClientMessage, Refusal>> = []
  #isBusy = false

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Returns what is to be run for it, if that is not running already. */
  add(message: Result.Result<ClientMessage, Refusal>): Effect.Effect<void> | undefined {
    this.#waiting.push(message)
    if (this.#isBusy) return undefined
    this.#isBusy = true
    return Effect.ensuring(
      this.#answerAll,
      Effect.sync(() => {
        this.#isBusy = false
      }),
    )
  }

  readonly #answerAll: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { connection } = this.conversation
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      if (connection.isGone) break
      yield* Effect.fromResult(message).pipe(
        Effect.flatMap((given) => this.conversation.answer(given)),
        Effect.catch((refusal) => Effect.sync(() => connection.send(refusalFrame(refusal)))),
        Effect.catchDefect((defect) => {
          connection.end("internal", 1000)
          return Effect.logError("a message could not be answered", defect)
        }),
      )
    }
    this.#waiting = []
  })
}
