import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import { Context, Effect, Fiber, type Redacted } from "effect"
import { RouteContext } from "effect/unstable/http/HttpRouter"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { clean, type ErrorBody } from "#src/platform/http/errorBody.ts"

/** What the requests of one listening server share. */
export interface Edge {
  readonly bodyLimit: number
  /** Set once the server is going away: every answer from then on also ends its connection. */
  draining: boolean
  readonly done: (request: Incoming, reply: Reply) => void
}

/** A request with what the edge knows about it. Effect's `HttpServerRequest.source` is one of these. */
export class Incoming extends IncomingMessage {
  edge: Edge | undefined = undefined
  reply: Reply | undefined = undefined
  requestId = ""
  startedAt = 0
  /** The pattern of the route that took the request, for logs and metrics. */
  route: string | undefined = undefined
  queryKeys: ReadonlyArray<Redacted.Redacted> = []
  bodyBytes = 0

  get bodyRefused(): boolean {
    return this.edge !== undefined && this.bodyBytes > this.edge.bodyLimit
  }

  /** Node's parser hands over the body here, so this is where a body without a declared length is measured. */
  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null || this.edge === undefined) return super.push(chunk)
    const toldBefore = this.bodyRefused
    this.bodyBytes += chunk.length
    if (!this.bodyRefused) return super.push(chunk)
    // Told once; what still comes is thrown away until the connection is closed.
    if (!toldBefore && this.reply !== undefined) {
      refuseBody(this, this.reply, this.edge.bodyLimit)
      if (this.listenerCount("error") > 0) this.emit("error", new Error("request body over the limit"))
    }
    return true
  }

  /** Destroying a request cuts its socket, and with it the 413 that the client should read. */
  override destroy(error?: Error): this {
    return this.bodyRefused ? this : super.destroy(error)
  }
}

/** As much of a request as says who is asking; `source` is an `Incoming` where it came to our server. */
export type Asked = Pick<HttpServerRequest, "headers" | "source">

/** The route that is being answered: Effect writes its answers from within the fiber of the request. */
const matchedRoute = (): string | undefined => {
  const fiber = Fiber.getCurrent()
  return fiber && Context.getOrUndefined(fiber.context, RouteContext)?.route.path
}

const mostAsText = 16_384

/** A body of pieces that lie ready. Copied into one, every answer would leave its size behind for the garbage collector. */
export class Pieces {
  readonly parts: ReadonlyArray<Buffer>
  readonly length: number

  constructor(parts: ReadonlyArray<Buffer>) {
    this.parts = parts
    this.length = parts.reduce((sum, { length }) => sum + length, 0)
  }
}

/**
 * Ends an answer whose head Node refuses to write. Thrown on, that would end the fiber of the request without closing the
 * request's scope; cut off, whatever writes the body fails, and what the request holds is given back.
 */
const cutOff = <R extends ServerResponse<Incoming>>(reply: R, cause: unknown): R => {
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runForkWith(context)(Effect.logError("the head of an answer cannot be written", cause))
  reply.req.socket.destroy()
  return reply.destroy()
}

type HeaderInput = OutgoingHttpHeaders | Array<OutgoingHttpHeader>

/** A response that carries the headers every answer has, whoever wrote it. */
export class Reply extends ServerResponse<Incoming> {
  override writeHead(status: number, reason?: string | HeaderInput, headers?: HeaderInput): this {
    const { edge, requestId, headers: asked } = this.req
    if (edge === undefined) return super.writeHead(status, reason as string, headers)
    const given = (typeof reason === "string" ? headers : (headers ?? reason)) as OutgoingHttpHeaders | undefined
    this.req.route ??= matchedRoute()
    const all: OutgoingHttpHeaders = { ...given, "access-control-allow-origin": "*", "x-request-id": requestId }
    if (asked.origin !== undefined) all["access-control-expose-headers"] = "*"
    if (status === 503) all["retry-after"] ??= "2"
    if (edge.draining) all["connection"] = "close"
    try {
      return typeof reason === "string" ? super.writeHead(status, reason, all) : super.writeHead(status, all)
    } catch (cause) {
      return cutOff(this, cause)
    }
  }

  /** Node sends text together with the head of an answer, but bytes after it, which costs the kernel twice as much. */
  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (this.destroyed) {
      // Nobody is there to read it. Node would never call back.
      const told = [chunk, encoding, callback].find((each) => typeof each === "function")
      if (told !== undefined) process.nextTick(told)
      return this
    }
    if (chunk instanceof Pieces) {
      for (const part of chunk.parts) this.write(part)
      return super.end(encoding as () => void)
    }
    if (!(chunk instanceof Uint8Array) || chunk.length > mostAsText) {
      return super.end(chunk, encoding as BufferEncoding, callback as () => void)
    }
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1")
    return super.end(text, "latin1", (typeof encoding === "function" ? encoding : callback) as () => void)
  }
}

/** Answers without troubling the application. */
export const refuse = (reply: Reply, status: number, body: ErrorBody, headers: OutgoingHttpHeaders = {}) => {
  if (reply.headersSent) return
  const text = JSON.stringify(clean(body))
  reply.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  })
  reply.end(text)
}

const lingerMillis = 1000

/**
 * Refuses a body that is too large and closes the connection, but not before the client had time to
 * read why: closing with unread input makes the kernel send a reset, which discards the answer.
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
  const error = `The body is larger than ${limit} bytes, the most that is taken (setting http.body-limit).`
  refuse(reply, 413, { error, limit_bytes: limit }, { connection: "close" })
  request.resume()
}
