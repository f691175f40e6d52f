import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Duration, Effect, Option, Redacted, Schema } from "effect"
import { LRUCache } from "lru-cache"
import { type CannotListen, listenError, type PortTaken } from "#src/platform/http/listenErrors.ts"
import { type VerifyResult, verify } from "./verify.ts"

const Envelope = Schema.fromJsonString(
  Schema.Struct({ id: Schema.String, type: Schema.String, data: Schema.Record(Schema.String, Schema.Unknown) }),
)
export type Envelope = typeof Envelope.Type

const decode = Schema.decodeUnknownOption(Envelope)

/** The delivery's envelope; undefined if the body is not one. */
export const envelopeOf = (body: Buffer): Envelope | undefined => Option.getOrUndefined(decode(body.toString("utf8")))

/** A received request and its response. */
export interface ReceivedDelivery {
  /** Milliseconds. */
  readonly at: number
  readonly path: string
  readonly webhook: string
  readonly attempt: string
  readonly verification: VerifyResult
  /** Whether an event with its id was accepted before. */
  readonly isDuplicate: boolean
  /** The status that was answered. */
  readonly status: number
  /** Undefined if the body is not a delivery. */
  readonly envelope: Envelope | undefined
  readonly body: Buffer
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly secret: Redacted.Redacted<string>
  /** Number of first deliveries that are answered with 500. */
  readonly fail: number
  /** The status that all others are answered with. */
  readonly status: number
  readonly delay: Duration.Duration
  readonly onDelivery: (delivery: ReceivedDelivery) => void
}

const maxBytes = 1_048_576
const maxIds = 10_000
const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 }

const respond = (answer: ServerResponse, status: number, body: object) => {
  answer.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`)
}

/** Reads a whole body. Reads a while past the limit, so that the sender receives the answer. */
const readBody = (request: IncomingMessage, answer: ServerResponse, done: (body: Buffer) => void) => {
  const chunks: Array<Buffer> = []
  let length = 0
  request.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    if (length > 10 * maxBytes) request.destroy()
  })
  request.on("error", () => undefined)
  request.on("end", () => {
    if (length <= maxBytes) done(Buffer.concat(chunks))
    else respond(answer, 413, { error: `at most ${maxBytes} bytes` })
  })
}

/** Receives deliveries like a user's endpoint until the scope ends; returns its port. */
export const listen = Effect.fnUntraced(function* (options: ListenOptions) {
  const { host, port, fail, status, delay, onDelivery } = options
  const secret = Redacted.value(options.secret)
  const clock = yield* Clock.Clock
  const accepted = new LRUCache<string, true>({ max: maxIds })
  let failed = 0

  const receive = (request: IncomingMessage, answer: ServerResponse, body: Buffer) => {
    const { headers, url: path = "/" } = request
    const at = clock.currentTimeMillisUnsafe()
    const verification = verify({ headers, body }, secret, at)
    const envelope = envelopeOf(body)
    const id = envelope?.id ?? ""
    const isDuplicate = accepted.has(id)
    const shouldFail = verification.ok && failed < fail
    if (shouldFail) failed += 1
    const answered = !verification.ok ? 401 : shouldFail ? 500 : status
    if (envelope !== undefined && answered >= 200 && answered < 300) accepted.set(id, true)
    const webhook = String(headers["x-webhook-id"] ?? "")
    const attempt = String(headers["x-webhook-attempt"] ?? "")
    onDelivery({ at, path, webhook, attempt, verification, isDuplicate, status: answered, envelope, body })
    const send = () => respond(answer, answered, verification.ok ? { received: true } : { error: verification.reason })
    const later = setTimeout(send, Duration.toMillis(delay))
    answer.once("close", () => clearTimeout(later))
  }

  const server = createServer(timeouts, (request, answer) => {
    answer.on("error", () => undefined)
    if (request.method === "POST") return readBody(request, answer, (body) => receive(request, answer, body))
    request.resume()
    respond(answer.setHeader("allow", "POST"), 405, { error: "webhooks are delivered by POST" })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, PortTaken | CannotListen>((resume) => {
      server.once("error", (error) => resume(Effect.fail(listenError(error, host, port, "--port"))))
      server.listen(port, host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
  return (server.address() as AddressInfo).port
})
