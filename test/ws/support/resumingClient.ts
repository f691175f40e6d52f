import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { WebSocket } from "ws"

/** A gateway message. */
export interface Received {
  readonly type: string
  readonly [field: string]: unknown
}

/** A local copy of a stream: what it requests on every new connection, and how it handles the answers. */
export interface StreamCopy {
  /** Called once per connection, before anything is received on it. */
  readonly requests: () => ReadonlyArray<object>
  /** Returns the messages to send in response. */
  readonly receive: (message: Received) => ReadonlyArray<object>
  /** All events missed without a connection have been received. */
  readonly isCaughtUp: () => boolean
}

const reconnectMillis = 50
/** After a refusal without `retry_after_ms`. */
const retryMillis = 300

/** What an answer that refuses a connection says about the next attempt. */
const retryAfterOf = async (response: IncomingMessage): Promise<number> => {
  const body = JSON.parse(await text(response)) as { readonly retry_after_ms?: number }
  return body.retry_after_ms ?? retryMillis
}

/** Keeps a connection to one of several gateways: after a loss it reconnects to another one and resumes. */
export class ResumingClient {
  readonly name: string
  readonly refusals: Array<string> = []
  messages = 0
  connections = 0
  resumes = 0
  longestGapMillis = 0
  readonly #addresses: ReadonlyArray<string>
  readonly #copy: StreamCopy
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #lostAt: number | undefined
  #isStopped = false

  /** A client that is one of thousands waits as long as the gateway says; the others try again at once. */
  readonly #isPatient: boolean

  constructor(name: string, addresses: ReadonlyArray<string>, copy: StreamCopy, isPatient = false) {
    this.#isPatient = isPatient
    this.name = name
    this.#addresses = addresses
    this.#copy = copy
  }

  start(): void {
    this.#isStopped = false
    const address = this.#addresses[this.connections++ % this.#addresses.length] ?? ""
    const socket = new WebSocket(address, { handshakeTimeout: this.#isPatient ? 30_000 : 5_000 })
    this.#socket = socket
    let retryAfter = reconnectMillis
    const send = (messages: ReadonlyArray<object>) => {
      for (const message of messages) socket.send(JSON.stringify(message))
    }
    socket.on("open", () => send(this.#copy.requests()))
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as Received
      this.messages++
      if (message.type === "error") {
        this.refusals.push(`${message["code"]}: ${message["message"]}`)
        retryAfter = Number(message["retry_after_ms"] ?? retryMillis)
        socket.close()
      } else {
        send(this.#copy.receive(message))
        this.#measure()
      }
    })
    if (this.#isPatient)
      socket.on("unexpected-response", (_request, response) => {
        const close = () => socket.terminate()
        retryAfterOf(response)
          .then((millis) => {
            retryAfter = millis
          })
          .then(close, close)
      })
    // Always followed by `close`, which reconnects.
    socket.on("error", () => undefined)
    socket.on("close", () => {
      this.#lostAt ??= performance.now()
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), retryAfter)
    })
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#socket?.terminate()
  }

  #measure(): void {
    if (this.#lostAt === undefined || !this.#copy.isCaughtUp()) return
    this.resumes++
    this.longestGapMillis = Math.max(this.longestGapMillis, performance.now() - this.#lostAt)
    this.#lostAt = undefined
  }
}
