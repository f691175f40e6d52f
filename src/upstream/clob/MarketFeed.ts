import { Deferred, Effect, Queue, Stream } from "effect"
import { countReconnect, reconnectDelay, socketMessages } from "../socket.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { skip } from "../undecodable.ts"
import { type DecodedFrame, decodeFrame } from "./socketWire.ts"

/** Callbacks of a feed, which reconnects forever. Each connection is opened, receives frames and is closed. */
export interface FeedHandlers {
  readonly opened: Effect.Effect<void>
  /** The venue sent something, perhaps only a heartbeat. */
  readonly heard: Effect.Effect<void>
  readonly received: (frame: DecodedFrame) => Effect.Effect<void>
  readonly closed: (failure: UpstreamFailure) => Effect.Effect<void>
}

/** The venue does not serve more on one connection reliably. */
const maxTokensPerFeed = 500

const isHeartbeat = (text: string) => /^(ping|pong)$/i.test(text)

/** One connection to the market socket. Its tokens can change at any time. */
export class MarketFeed {
  readonly #tokens = new Set<string>()
  #outgoing: Queue.Queue<string> | undefined
  #ending: Deferred.Deferred<never, UpstreamFailure> | undefined

  get tokens(): ReadonlySet<string> {
    return this.#tokens
  }

  /** Number of tokens that can still be added. */
  get capacity(): number {
    return maxTokensPerFeed - this.#tokens.size
  }

  follow(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) this.#tokens.add(token)
    this.#send("subscribe", tokens)
  }

  unfollow(tokens: ReadonlyArray<string>): void {
    for (const token of tokens) this.#tokens.delete(token)
    this.#send("unsubscribe", tokens)
  }

  /** Closes the connection and opens another one. */
  reconnect(detail: string): void {
    if (this.#ending !== undefined) Deferred.doneUnsafe(this.#ending, Effect.fail(this.#silent(detail)))
  }

  run(url: string, handlers: FeedHandlers): Effect.Effect<never> {
    let received = false
    const connection = Effect.gen({ self: this }, function* () {
      const outgoing = yield* Queue.unbounded<string>()
      const ending = yield* Deferred.make<never, UpstreamFailure>()
      received = false
      // Changes from here on are sent as messages; the first message contains the tokens followed so far.
      this.#outgoing = outgoing
      this.#ending = ending
      const subscription = { type: "market", assets_ids: [...this.#tokens], custom_feature_enabled: true }
      const messages = socketMessages({
        upstream: "clob",
        url,
        initialMessages: [JSON.stringify(subscription)],
        outgoing: Stream.concat(Stream.fromEffectDrain(handlers.opened), Stream.fromQueue(outgoing)),
        // The venue wants one every ten seconds. Its answers show that quiet books are still current.
        keepAlive: { every: "4 seconds", text: "PING" },
        // Books may not change for hours, so only a connection without heartbeats counts as dead.
        silentAfter: "30 seconds",
        isData: () => true,
      })
      const reading = Stream.runForEach(messages, (text) => {
        if (isHeartbeat(text)) return handlers.heard
        received = true
        const frame = decodeFrame(text)
        const undecodable = frame.broken.map((reason) => ({ reason, item: text }))
        const handled = Effect.andThen(skip("clob", "message", undecodable), handlers.received(frame))
        // Hundreds of large frames can arrive at once; live ticks of the same process must not wait for all of them.
        return Effect.andThen(handled, Effect.yieldNow)
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
      Effect.tapError((failure) => Effect.andThen(countReconnect("clob"), handlers.closed(failure))),
      // Reconnects at once after a connection that received data, else with back-off.
      Effect.catch((failure) => (received ? Effect.sleep("100 millis") : Effect.fail(failure))),
    )
    return Effect.forever(Effect.orDie(Effect.retry(connection, reconnectDelay)))
  }

  #send(operation: "subscribe" | "unsubscribe", tokens: ReadonlyArray<string>): void {
    if (tokens.length === 0 || this.#outgoing === undefined) return
    Queue.offerUnsafe(this.#outgoing, JSON.stringify({ operation, assets_ids: tokens, custom_feature_enabled: true }))
  }

  #silent(detail: string): UpstreamFailure {
    return new UpstreamFailure({ upstream: "clob", reason: "silent", detail })
  }
}
