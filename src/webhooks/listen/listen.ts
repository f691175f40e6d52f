import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Clock, Duration, Effect, Redacted } from "effect"
import { type CannotListen, listeningError, type PortTaken } from "#src/platform/http/listening.ts"
import { type Delivery, envelopeOf } from "./Delivery.ts"
import { Recent } from "./Recent.ts"
import { verify } from "./verify.ts"

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly secret: Redacted.Redacted<string>
  /** How many of the first deliveries are answered with 500. */
  readonly fail: number
  /** The status of the answer to all others. */
  readonly status: number
  readonly delay: Duration.Duration
  readonly heard: (delivery: Delivery) => void
}

const mostBytes = 1_048_576
const mostIds = 10_000
const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000 }

const say = (answer: ServerResponse, status: number, body: object) => {
  answer.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`)
}

/** Reads a whole body. One that is too long is read on for a while, so that whoever sends it hears the answer. */
const readBody = (request: IncomingMessage, answer: ServerResponse, done: (body: Buffer) => void) => {
  const chunks: Array<Buffer> = []
  let length = 0
  request.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length <= mostBytes) chunks.push(chunk)
    if (length > 10 * mostBytes) request.destroy()
  })
  request.on("error", () => undefined)
  request.on("end", () => {
    if (length <= mostBytes) done(Buffer.concat(chunks))
    else say(answer, 413, { error: `at most ${mostBytes} bytes` })
  })
}

/** Receives deliveries as an endpoint of somebody's own would, until the scope ends; the port it listens on. */
export const listen = Effect.fnUntraced(function* (options: ListenOptions) {
  const { host, port, fail, status, delay, heard } = options
  const secret = Redacted.value(options.secret)
  const clock = yield* Clock.Clock
  const accepted = new Recent(mostIds)
  let failed = 0

  const receive = (request: IncomingMessage, answer: ServerResponse, body: Buffer) => {
    const { headers, url: path = "/" } = request
    const at = clock.currentTimeMillisUnsafe()
    const verdict = verify({ headers, body }, secret, at)
    const envelope = envelopeOf(body)
    const id = envelope?.id ?? ""
    const isDuplicate = accepted.has(id)
    const fails = verdict.ok && failed < fail
    if (fails) failed += 1
    const chosen = !verdict.ok ? 401 : fails ? 500 : status
    if (envelope !== undefined && chosen >= 200 && chosen < 300) accepted.add(id)
    const webhook = String(headers["x-webhook-id"] ?? "")
    const attempt = String(headers["x-webhook-attempt"] ?? "")
    heard({ at, path, webhook, attempt, verdict, isDuplicate, status: chosen, envelope, body })
    const respond = () => say(answer, chosen, verdict.ok ? { received: true } : { error: verdict.reason })
    const later = setTimeout(respond, Duration.toMillis(delay))
    answer.once("close", () => clearTimeout(later))
  }

  const server = createServer(timeouts, (request, answer) => {
    answer.on("error", () => undefined)
    if (request.method === "POST") return readBody(request, answer, (body) => receive(request, answer, body))
    request.resume()
    say(answer.setHeader("allow", "POST"), 405, { error: "webhooks are delivered by POST" })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, PortTaken | CannotListen>((resume) => {
      server.once("error", (error) => resume(Effect.fail(listeningError(error, host, port, "--port"))))
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
