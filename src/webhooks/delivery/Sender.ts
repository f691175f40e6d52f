import { Context, Duration, Effect, Layer } from "effect"
import { Agent, type Dispatcher } from "undici"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { showDuration } from "#src/platform/config/Setting.ts"
import type { AttemptError } from "../model.ts"
import { webhooksDeadline } from "../settings.ts"
import { guardedConnector } from "./connector.ts"
import { excerptOf } from "./excerpt.ts"
import { AttemptFailure, failureOf, wordsFor } from "./failure.ts"
import { TargetRefused, Targets } from "./Targets.ts"

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What came of one attempt. */
export interface Answer {
  readonly success: boolean
  readonly statusCode: number | null
  /** Until the status line, or until it was given up. */
  readonly latencyMs: number
  readonly errorClass: AttemptError | null
  readonly error: string | null
  /** The beginning of what was answered. */
  readonly response: string | null
}

/** Sends one attempt: one deadline over everything, no redirects, and no more of the answer than is kept. */
export class Sender extends Context.Service<Sender, { readonly send: (outgoing: Outgoing) => Effect.Effect<Answer> }>()(
  "presage/webhooks/Sender",
) {
  static readonly layer = Layer.suspend(() => Sender.layerTrusting(undefined))
  /** Trusts certificates of this authority, in PEM, and no others. */
  static readonly layerTrusting = (ca: string | undefined) => Layer.effect(Sender, make(ca))
}

const mostOfAnswer = 16 * 1024
/** Answers that are none yet, such as 103; a server that sends more never means to end. */
const mostInterims = 16

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
    // One deadline of our own is over all of it; these would only limit pauses.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  yield* Effect.addFinalizer(() => Effect.promise(() => agent.destroy()))

  const conclude = (exchange: Exchange, failure: AttemptError | null): Answer => ({
    success: failure === null,
    statusCode: exchange.statusCode,
    // How long it took to find out that an address is not public is nobody's business.
    latencyMs: failure === "blocked" ? 0 : Math.round(exchange.answeredAt - exchange.startedAt),
    errorClass: failure,
    error: failure === null ? null : wordsFor(failure, exchange.statusCode, showDuration(config.get(webhooksDeadline))),
    response: exchange.excerpt(),
  })

  const send = ({ url, headers, body }: Outgoing) =>
    Effect.callback<Answer>((resume) => {
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

/** One request and its answer, as undici tells of it. Ends once, and then asks undici for nothing more. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly startedAt = performance.now()
  answeredAt = 0
  statusCode: number | null = null
  private readonly tell: (failure: AttemptError | null) => void
  private readonly chunks: Array<Buffer> = []
  private bytes = 0
  private isReadable = true
  private interims = 0
  private ended = false
  private timer: NodeJS.Timeout | undefined
  private controller: Dispatcher.DispatchController | undefined

  constructor(tell: (failure: AttemptError | null) => void) {
    this.tell = tell
  }

  limit(millis: number) {
    this.timer = setTimeout(() => this.finish("timeout"), millis)
  }

  /** Where a status line has come, that is the answer, whatever happened to the rest. */
  finish(failure: AttemptError) {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.timer)
    this.controller?.abort(new AttemptFailure("timeout"))
    if (this.statusCode === null) this.answeredAt = performance.now()
    this.tell(this.statusCode === null ? failure : verdictOn(this.statusCode))
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
      if (++this.interims > mostInterims) this.finish("protocol")
      return
    }
    this.answeredAt = performance.now()
    this.statusCode = statusCode
    this.isReadable = (headers["content-encoding"] ?? "identity") === "identity"
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.ended) return
    // A copy, for undici's buffer is larger than its part.
    if (this.bytes < mostOfAnswer) this.chunks.push(Buffer.from(chunk.subarray(0, mostOfAnswer - this.bytes)))
    this.bytes += chunk.length
    if (this.bytes > mostOfAnswer) this.finish("protocol")
  }

  onResponseEnd() {
    // Nothing is left to be cut off: the connection may serve the next one.
    this.controller = undefined
    this.finish("protocol")
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.controller = undefined
    this.finish(failureOf(error))
  }
}

const verdictOn = (statusCode: number): AttemptError | null => {
  if (statusCode >= 200 && statusCode < 300) return null
  return statusCode >= 300 && statusCode < 400 ? "redirect" : "status"
}
