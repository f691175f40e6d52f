import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import { Context, Effect, Fiber, type Redacted } from "effect"
import { RouteContext } from "effect/unstable/http/HttpRouter"
import type { AccessRequest } from "#src/access/AccessRequest.ts"
import { type ErrorBody, redactBody } from "#src/platform/http/errorBody.ts"

/** State shared by all requests of a listening server. */
export interface Edge {
  readonly bodyLimit: number
  /** How long a request may take until its answer begins. */
  readonly deadlineMillis: number
  /** Set during shutdown: every answer then also closes its connection. */
  draining: boolean
  readonly done: (request: Incoming, reply: Reply) => void
}

/** A request with data of the edge. Effect's `HttpServerRequest.source` is one of these. */
export class Incoming extends IncomingMessage implements AccessRequest {
  edge: Edge | undefined = undefined
  reply: Reply | undefined = undefined
  requestId = ""
  startedAt = 0
  /** Pattern of the matched route, for logs and metrics. */
  route: string | undefined = undefined
  /** Keys sent as `?key=`, removed from the address before anything can log or trace them. */
  queryKeys: ReadonlyArray<Redacted.Redacted> = []
  bodyBytes = 0
  /** Answers the request if its handler does not. */
  deadline: NodeJS.Timeout | undefined = undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined = undefined

  get peer(): string | undefined {
    return this.socket.remoteAddress
  }

  get bodyRefused(): boolean {
    return this.edge !== undefined && this.bodyBytes > this.edge.bodyLimit
  }

  /** Receives the body from Node's parser, so a body without a declared length is measured here. */
  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null) return super.push(chunk)
    const wasRefused = this.bodyRefused
    this.bodyBytes += chunk.length
    if (this.edge === undefined || !this.bodyRefused) return super.push(chunk)
    // Refused once; further data is dropped until the connection closes.
    if (!wasRefused && this.reply !== undefined) {
      refuseBody(this, this.reply, this.edge.bodyLimit)
      if (this.listenerCount("error") > 0) this.emit("error", new Error("request body over the limit"))
    }
    return true
  }

  /** Destroying a refused request would cut its socket before the client has read the 413. */
  override destroy(error?: Error): this {
    return this.bodyRefused ? this : super.destroy(error)
  }
}

/** The matched route: Effect writes answers from within the fiber of the request. */
const matchedRoute = (): string | undefined => {
  const fiber = Fiber.getCurrent()
  return fiber && Context.getOrUndefined(fiber.context, RouteContext)?.route.path
}

const maxTextBytes = 16_384

/** A body of existing buffers. Copying them into one would leave garbage of the same size per answer. */
export class Chunks {
  readonly parts: ReadonlyArray<Buffer>
  readonly length: number

  constructor(parts: ReadonlyArray<Buffer>) {
    this.parts = parts
    this.length = parts.reduce((sum, { length }) => sum + length, 0)
  }
}

/**
 * Ends an answer whose head Node refuses to write. Rethrowing would end the request's fiber without closing its scope;
 * destroying the socket fails the body writer, which releases the request's resources.
 */
const abort = <R extends ServerResponse<Incoming>>(reply: R, cause: unknown): R => {
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runForkWith(context)(Effect.logError("failed to write the head of an answer", cause))
  reply.req.socket.destroy()
  return reply.destroy()
}

type HeaderInput = OutgoingHttpHeaders | Array<OutgoingHttpHeader>

/** A response with the headers that every answer has. */
export class Reply extends ServerResponse<Incoming> {
  override writeHead(status: number, reason?: string | HeaderInput, headers?: HeaderInput): this {
    const { edge, requestId, headers: requestHeaders } = this.req
    if (edge === undefined) return super.writeHead(status, reason as string, headers)
    const given = (typeof reason === "string" ? headers : (headers ?? reason)) as OutgoingHttpHeaders | undefined
    this.req.route ??= matchedRoute()
    const all: OutgoingHttpHeaders = { ...given, "access-control-allow-origin": "*", "x-request-id": requestId }
    if (requestHeaders.origin !== undefined) all["access-control-expose-headers"] = "*"
    // An address that contains a key must not be sent to other sites.
    if (this.req.queryKeys.length > 0) all["referrer-policy"] = "no-referrer"
    if (status === 503) all["retry-after"] ??= "2"
    if (edge.draining) all["connection"] = "close"
    try {
      return typeof reason === "string" ? super.writeHead(status, reason, all) : super.writeHead(status, all)
    } catch (cause) {
      return abort(this, cause)
    }
  }

  /**
   * Node sends text together with the head of an answer, but bytes in a second write, at twice the cost in the kernel.
   * The callback comes when the answer has been sent or the client is gone. Node would never call it for the latter, and a
   * fiber that waits for it would keep the answer.
   */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    const done = [chunk, encoding, callback].find((each) => typeof each === "function") as (() => void) | undefined
    if (this.destroyed) {
      if (done !== undefined) process.nextTick(done)
      return this
    }
    if (done !== undefined) this.once("close", done)
    if (chunk === done) return super.end()
    if (chunk instanceof Chunks) {
      for (const part of chunk.parts) this.write(part)
      return super.end()
    }
    if (!(chunk instanceof Uint8Array) || chunk.length > maxTextBytes) {
      return encoding === done ? super.end(chunk) : super.end(chunk, encoding as BufferEncoding)
    }
    return super.end(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1"), "latin1")
  }
}

/** Answers without involving the application. */
export const refuse = (reply: Reply, status: number, body: ErrorBody, headers: OutgoingHttpHeaders = {}) => {
  if (reply.headersSent) return
  const text = JSON.stringify(redactBody(body))
  reply.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  })
  reply.end(text)
}

const lingerMillis = 1000

/**
 * Refuses a body that is too large and closes the connection after the client had time to read the answer: closing with
 * unread input makes the kernel send a reset, which discards the answer.
 */
export const refuseBody = (request: Incoming, reply: Reply, limit: number) => {
  const { socket } = request
  if (reply.headersSent) {
    socket.destroy()
    return
  }
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), lingerMillis).unref()
  }
  const error = `The body is larger than the limit of ${limit} bytes (setting http.body-limit).`
  refuse(reply, 413, { error, limit_bytes: limit }, { connection: "close" })
  request.resume()
}
