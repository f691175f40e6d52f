import { Cause, Duration, Effect, Metric, Queue, Schedule, Stream } from "effect"
import { WebSocket } from "ws"
import { UpstreamFailure } from "./UpstreamFailure.ts"
import { WireTap } from "./WireTap.ts"

export interface SocketOptions {
  readonly upstream: string
  readonly url: string
  /** Called for every connection: signatures expire. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Sent on connection. */
  readonly initialMessages?: ReadonlyArray<string>
  /** Sent as they arrive. */
  readonly outgoing?: Stream.Stream<string>
  readonly keepAlive?: { readonly every: Duration.Input; readonly text: string }
  /** Longest time without data: a dead socket may stay open. */
  readonly silentAfter: Duration.Input
  /** Whether a message counts as data; by default all except heartbeats do. */
  readonly isData?: (text: string) => boolean
  /** Whether protocol pings of the server count as data: some send nothing else for hours. */
  readonly pingsAreData?: boolean
  /** Immediate reply to a message, for example a `pong`. */
  readonly reply?: (text: string) => string | undefined
}

const handshakeTimeoutMillis = 10_000
const maxMessageBytes = 16 * 1024 * 1024
const isHeartbeat = (text: string) => text === "" || /^(ping|pong)$/i.test(text)

/** The messages of one connection. Fails when it closes or is silent for too long. */
export const socketMessages = (options: SocketOptions): Stream.Stream<string, UpstreamFailure> => {
  const isData = options.isData ?? ((text) => !isHeartbeat(text))
  const silentMillis = Duration.toMillis(Duration.fromInputUnsafe(options.silentAfter))
  return Stream.callback<string, UpstreamFailure>(
    (queue) =>
      Effect.gen(function* () {
        const fail = (reason: UpstreamFailure["reason"], detail: string) =>
          Queue.failCauseUnsafe(queue, Cause.fail(new UpstreamFailure({ upstream: options.upstream, reason, detail })))
        const tap = yield* WireTap
        let receivedAt = performance.now()
        const socket = yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new WebSocket(options.url, {
                headers: options.headers?.() ?? {},
                handshakeTimeout: handshakeTimeoutMillis,
                maxPayload: maxMessageBytes,
              }),
          ),
          (opened) => Effect.sync(() => opened.terminate()),
        )
        const send = (text: string) => {
          if (socket.readyState === WebSocket.OPEN) socket.send(text)
        }
        socket.on("open", () => {
          receivedAt = performance.now()
          for (const text of options.initialMessages ?? []) send(text)
        })
        socket.on("message", (data) => {
          const text = String(data)
          tap?.frame({ upstream: options.upstream, text })
          const reply = options.reply?.(text)
          if (reply !== undefined) send(reply)
          if (!isData(text)) return
          receivedAt = performance.now()
          // A slow consumer starts over from a snapshot instead of missing messages.
          if (!Queue.offerUnsafe(queue, text)) fail("closed", "messages arrived faster than they were consumed")
        })
        if (options.pingsAreData === true) {
          socket.on("ping", () => {
            receivedAt = performance.now()
          })
        }
        socket.on("error", (error) => fail("unreachable", error.message))
        socket.on("close", (code, reason) => fail("closed", `code ${code} ${String(reason)}`.trim()))
        const { keepAlive } = options
        if (keepAlive !== undefined) {
          yield* Effect.forkScoped(
            Effect.repeat(
              Effect.sync(() => send(keepAlive.text)),
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
              Stream.runForEach(options.outgoing, (text) => Effect.sync(() => send(text))),
            ),
          )
        }
        const watch = Effect.sync(() => {
          const silent = performance.now() - receivedAt
          if (silent > silentMillis) fail("silent", `no data for ${Math.round(silent)} ms`)
        })
        yield* Effect.forkScoped(Effect.repeat(watch, Schedule.spaced(Math.min(1000, silentMillis / 4))))
        return yield* Effect.never
      }),
    { bufferSize: 16_384, strategy: "dropping" },
  )
}

const reconnects = (upstream: string) =>
  Metric.counter("presage_upstream_reconnects_total", {
    description: "Reconnects of sockets to upstreams",
    incremental: true,
    attributes: { upstream },
  })
export const countReconnect = (upstream: string) => Metric.update(reconnects(upstream), 1)

/** Exponential back-off from 100 ms up to five seconds. */
export const reconnectDelay = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered,
)
