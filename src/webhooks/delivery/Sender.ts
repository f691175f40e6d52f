import { Context, Duration, Effect, Layer } from "effect"
import { Agent, type Dispatcher } from "undici"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { showDuration } from "#src/platform/config/Setting.ts"
import type { AttemptError } from "../model.ts"
import { webhooksDeadline } from "../settings.ts"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { guardedConnector } from "./connector.ts"
import { AttemptFailure, describeFailure, failureOf } from "./failure.ts"
import { Resolver } from "./Resolver.ts"
import { TargetRefused, Targets } from "./Targets.ts"

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The result of one attempt. */
export interface SendResult {
  readonly success: boolean
  readonly statusCode: number | null
  /** Until the status line, or until the attempt was abandoned. */
  readonly latencyMs: number
  readonly errorClass: AttemptError | null
  readonly error: string | null
  /** The beginning of the response body. */
  readonly response: string | null
}

/** Sends one attempt: one deadline for everything, no redirects, a bounded response. */
export class Sender extends Context.Service<
  Sender,
  { readonly send: (outgoing: OutgoingRequest) => Effect.Effect<SendResult> }
>()("presage/webhooks/Sender") {
  static readonly layer = Layer.suspend(() => Sender.layerTrusting(undefined))
  /** Trusts only certificates of this authority, in PEM. */
  static readonly layerTrusting = (ca: string | undefined) => Layer.effect(Sender, make(ca))
}

/** The sender with its targets and secrets. */
export const senderLayer = Sender.layer.pipe(
  Layer.provideMerge(Targets.layer),
  Layer.provide(Resolver.layer),
  Layer.merge(SecretBox.layer),
)

const maxAnswerBytes = 16 * 1024
/** Informational responses, such as 103; a server that sends more never ends. */
const maxInterims = 16

const make = Effect.fnUntraced(function* (ca: string | undefined) {
  const config = yield* Configuration
  const targets = yield* Targets
  const deadline = () => Duration.toMillis(config.get(webhooksDeadline))
  const agent = new Agent({
    connect: guardedConnector({ targets, deadline, ca, context: yield* Effect.context<never>() }),
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 10_000,
    // Our own deadline covers everything; these would only limit pauses.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => agent.destroy()))

  const conclude = (exchange: Exchange, failure: AttemptError | null): SendResult => ({
    success: failure === null,
    statusCode: exchange.statusCode,
    // The time it took to find out that an address is not public must not leak.
    latencyMs: failure === "blocked" ? 0 : Math.round(exchange.answeredAt - exchange.startedAt),
    errorClass: failure,
    error:
      failure === null
        ? null
        : describeFailure(failure, exchange.statusCode, showDuration(config.get(webhooksDeadline))),
    response: exchange.excerpt(),
  })

  const send = ({ url, headers, body }: OutgoingRequest) =>
    Effect.callback<SendResult>((resume) => {
      const target = targets.read(url)
      const exchange = new Exchange((failure) => resume(Effect.succeed(conclude(exchange, failure))))
      if (target instanceof TargetRefused) return exchange.finish("blocked")
      exchange.limit(deadline())
      const path = `${target.pathname}${target.search}`
      agent.dispatch({ origin: target.origin, path, method: "POST", headers, body }, exchange)
      return Effect.sync(() => exchange.finish("timeout"))
    })

  return Sender.of({ send })
})

/** One request and its response, as undici reports it. Ends once, and then aborts the request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedAt = performance.now()
  answeredAt = 0
  statusCode: number | null = null
  private readonly onEnd: (failure: AttemptError | null) => void
  private readonly chunks: Array<Buffer> = []
  private bytes = 0
  private isReadable = true
  private interims = 0
  private ended = false
  private timer: NodeJS.Timeout | undefined
  private controller: Dispatcher.DispatchController | undefined

  constructor(onEnd: (failure: AttemptError | null) => void) {
    this.onEnd = onEnd
  }

  limit(millis: number) {
    this.timer = setTimeout(() => this.finish("timeout"), millis)
  }

  /** Once a status line has come, it is the result, whatever happened to the rest. */
  finish(failure: AttemptError) {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.timer)
    this.controller?.abort(new AttemptFailure("timeout"))
    if (this.statusCode === null) this.answeredAt = performance.now()
    this.onEnd(this.statusCode === null ? failure : errorOfStatus(this.statusCode))
  }

  excerpt(): string | null {
    return this.statusCode !== null && this.isReadable ? excerptOf(Buffer.concat(this.chunks)) : null
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller
    if (this.ended) controller.abort(new AttemptFailure("timeout"))
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: Record<string, unknown>) {
    if (this.ended) return
    if (statusCode < 200) {
      if (++this.interims > maxInterims) this.finish("protocol")
      return
    }
    this.answeredAt = performance.now()
    this.statusCode = statusCode
    this.isReadable = (headers["content-encoding"] ?? "identity") === "identity"
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.ended) return
    // A copy, because undici's buffer is larger than the chunk.
    if (this.bytes < maxAnswerBytes) this.chunks.push(Buffer.from(chunk.subarray(0, maxAnswerBytes - this.bytes)))
    this.bytes += chunk.length
    if (this.bytes > maxAnswerBytes) this.finish("protocol")
  }

  onResponseEnd() {
    // The response is complete: the connection can be reused.
    this.controller = undefined
    this.finish("protocol")
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.controller = undefined
    this.finish(failureOf(error))
  }
}

const errorOfStatus = (statusCode: number): AttemptError | null => {
  if (statusCode >= 200 && statusCode < 300) return null
  return statusCode >= 300 && statusCode < 400 ? "redirect" : "status"
}

const excerptBytes = 1024

/** Invisible characters except line breaks and tabs. */
const invisible = /(?![\n\t])[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/gu

/** The beginning of a response as printable text, without a truncated last character. */
const excerptOf = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8").decode(bytes.subarray(0, excerptBytes), { stream: true }).replaceAll(invisible, "")
