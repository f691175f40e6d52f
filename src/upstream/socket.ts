import { Cause, Duration, Effect, Metric, Queue, Schedule, Stream } from "effect"
import { WebSocket } from "ws"
import { UpstreamFailure } from "./UpstreamFailure.ts"

export interface SocketOptions {
  readonly upstream: string
  readonly url: string
  /** Made anew for every connection: signatures age. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Said first. */
  readonly hello?: ReadonlyArray<string>
  /** Said whenever it comes, for as long as the connection lasts. */
  readonly outgoing?: Stream.Stream<string>
  /** Said again and again to be kept. */
  readonly keepAlive?: { readonly every: Duration.Input; readonly text: string }
  /** Longest time without a message that counts: a socket may stay open and say nothing. */
  readonly silentAfter: Duration.Input
  /** Which messages show that data flow; answers to the keep-alive do not. */
  readonly counts?: (text: string) => boolean
  /** What is answered at once, such as a `pong`. */
  readonly reply?: (text: string) => string | undefined
}

const connectWithin = 10_000
const largestMessage = 16 * 1024 * 1024
const isNoise = (text: string) => text === "" || /^(ping|pong)$/i.test(text)

/** The messages of one connection, until it ends or falls silent, which is its failure. */
export const socketMessages = (options: SocketOptions): Stream.Stream<string, UpstreamFailure> => {
  const counts = options.counts ?? ((text) => !isNoise(text))
  const silentMillis = Duration.toMillis(Duration.fromInputUnsafe(options.silentAfter))
  return Stream.callback<string, UpstreamFailure>(
    (queue) =>
      Effect.gen(function* () {
        const fail = (reason: UpstreamFailure["reason"], detail: string) =>
          Queue.failCauseUnsafe(queue, Cause.fail(new UpstreamFailure({ upstream: options.upstream, reason, detail })))
        let heardAt = performance.now()
        const socket = yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new WebSocket(options.url, {
                headers: options.headers?.() ?? {},
                handshakeTimeout: connectWithin,
                maxPayload: largestMessage,
              }),
          ),
          (opened) => Effect.sync(() => opened.terminate()),
        )
        const say = (text: string) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text)
        }
        socket.on("open", () => {
          heardAt = performance.now()
          for (const text of options.hello ?? []) say(text)
        })
        socket.on("message", (data) => {
          const text = String(data)
          const answer = options.reply?.(text)
          if (answer !== undefined) say(answer)
          if (!counts(text)) return
          heardAt = performance.now()
          // Whoever reads too slowly starts over from a snapshot rather than with a hole.
          if (!Queue.offerUnsafe(queue, text)) fail("closed", "messages came faster than they were read")
        })
        socket.on("error", (error) => fail("unreachable", error.message))
        socket.on("close", (code, reason) => fail("closed", `code ${code} ${String(reason)}`.trim()))
        const { keepAlive } = options
        if (keepAlive !== undefined) {
          yield* Effect.forkScoped(
            Effect.repeat(
              Effect.sync(() => say(keepAlive.text)),
              Schedule.spaced(keepAlive.every),
            ),
          )
        }
        if (options.outgoing !== undefined) {
          const opened = Effect.callback<void>((resume) => {
            if (socket.readyState === WebSocket.OPEN) resume(Effect.void)
            else socket.once("open", () => resume(Effect.void))
          })
          yield* Effect.forkScoped(
            Effect.andThen(
              opened,
              Stream.runForEach(options.outgoing, (text) => Effect.sync(() => say(text))),
            ),
          )
        }
        const watch = Effect.sync(() => {
          const silent = performance.now() - heardAt
          if (silent > silentMillis) fail("silent", `nothing for ${Math.round(silent)} ms`)
        })
        yield* Effect.forkScoped(Effect.repeat(watch, Schedule.spaced(Math.min(1000, silentMillis / 4))))
        return yield* Effect.never
      }),
    { bufferSize: 16_384, strategy: "dropping" },
  )
}

const reconnects = (upstream: string) =>
  Metric.counter("presage_upstream_reconnects_total", {
    description: "Sockets to upstreams that ended and were opened again",
    incremental: true,
    attributes: { upstream },
  })
export const countReconnect = (upstream: string) => Metric.update(reconnects(upstream), 1)

/** When to connect again: at once the first time, then after longer and longer, up to five seconds. */
export const reconnectDelay = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered,
)
