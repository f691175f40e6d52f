import { Deferred, Effect, Queue, Stream } from "effect"
import { countReconnect, reconnectDelay, socketMessages } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { skip } from "../undecodable.ts"
import { type DecodedFrame, decodeFrame } from "./socketWire.ts"

/** What happens on a connection. Connections follow one another without end; each is opened, heard and closed. */
export interface FeedListener {
  readonly opened: Effect.Effect<void>
  readonly heard: (frame: DecodedFrame) => Effect.Effect<void>
  readonly closed: (failure: UpstreamFailure) => Effect.Effect<void>
}

/** More on one connection the venue does not serve well. */
export const mostTokensOfFeed = 200

const isPong = (text: string) => /^(ping|pong)$/i.test(text)

/** One connection to the market socket and what is followed on it, which may change at any time. */
export class MarketFeed {
  readonly #tokens = new Set<string>()
  #outgoing: Queue.Queue<string> | undefined
  #ending: Deferred.Deferred<never, UpstreamFailure> | undefined

  get tokens(): ReadonlySet<string> {
    return this.#tokens
  }

  get room(): number {
    return mostTokensOfFeed - this.#tokens.size
  }

  follow(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) this.#tokens.add(token)
    this.#say("subscribe", tokens)
  }

  leave(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) this.#tokens.delete(token)
    this.#say("unsubscribe", tokens)
  }

  /** Gives the connection up for another one. */
  replace(detail: string): void {
    if (this.#ending !== undefined) Deferred.doneUnsafe(this.#ending, Effect.fail(this.#silent(detail)))
  }

  run(url: string, listener: FeedListener): Effect.Effect<never> {
    let heard = false
    const connection = Effect.gen({ self: this }, function* () {
      const outgoing = yield* Queue.unbounded<string>()
      const ending = yield* Deferred.make<never, UpstreamFailure>()
      heard = false
      // From here on changes are said; what was followed before is in the first words.
      this.#outgoing = outgoing
      this.#ending = ending
      const hello = { type: "market", assets_ids: [...this.#tokens], custom_feature_enabled: true }
      const messages = socketMessages({
        upstream: "clob",
        url,
        hello: [JSON.stringify(hello)],
        outgoing: Stream.concat(Stream.fromEffectDrain(listener.opened), Stream.fromQueue(outgoing)),
        keepAlive: { every: "10 seconds", text: "PING" },
        // Books may rest for hours, so only a connection that does not even answer counts as dead here.
        silentAfter: "30 seconds",
        counts: () => true,
      })
      const reading = Stream.runForEach(messages, (text) => {
        if (isPong(text)) return Effect.void
        heard = true
        const frame = decodeFrame(text)
        const unread = frame.broken.map((reason) => ({ reason, item: text }))
        const told = Effect.andThen(skip("clob", "message", unread), listener.heard(frame))
        // Frames of many kilobytes come by the hundred at once, and live ticks of the same process do not wait for all of them.
        return Effect.andThen(told, Effect.yieldNow)
      })
      return yield* Effect.raceFirst(
        Effect.andThen(reading, Effect.fail(this.#silent("the connection ended"))),
        Deferred.await(ending),
      )
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          this.#outgoing = undefined
          this.#ending = undefined
        }),
      ),
      Effect.tapError((failure) => Effect.andThen(countReconnect("clob"), listener.closed(failure))),
      // One that worked is followed by the next at once; those that do not are made less and less often.
      Effect.catch((failure) => (heard ? Effect.sleep("100 millis") : Effect.fail(failure))),
    )
    return Effect.forever(Effect.orDie(Effect.retry(connection, reconnectDelay)))
  }

  #say(operation: "subscribe" | "unsubscribe", tokens: ReadonlyArray<string>): void {
    if (tokens.length === 0 || this.#outgoing === undefined) return
    Queue.offerUnsafe(this.#outgoing, JSON.stringify({ operation, assets_ids: tokens, custom_feature_enabled: true }))
  }

  #silent(detail: string): UpstreamFailure {
    return new UpstreamFailure({ upstream: "clob", reason: "silent", detail })
  }
}
