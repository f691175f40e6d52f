import { inflateRawSync } from "node:zlib"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { call } from "#test/http/support/client.ts"
import { patience } from "#test/support/patience.ts"
import { gatewayPort } from "./gateway.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
export type Received = Readonly<Record<string, any>>

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A real client that keeps all received frames in order and can wait for further ones. */
export class Client {
  /** Parsed; binary frames are inflated first. */
  readonly received: Array<Received> = []
  /** The same frames as raw text. */
  readonly texts: Array<string> = []
  /** Whether each of them was a binary frame. */
  readonly binaries: Array<boolean> = []
  closed: Closed | undefined
  /** Payload bytes on the wire. */
  bytes = 0
  readonly #socket: WebSocket
  readonly #waiting = new Set<() => void>()
  #error = "no error"
  #seen = 0

  constructor(url: string) {
    this.#socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true })
    this.#socket.on("message", (bytes: Buffer, isBinary) => {
      const text = (isBinary ? inflateRawSync(bytes) : bytes).toString()
      this.bytes += bytes.length
      this.texts.push(text)
      this.binaries.push(isBinary)
      this.received.push(JSON.parse(text))
      this.#wake()
    })
    this.#socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
    this.#socket.on("open", () => this.#wake())
    this.#socket.on("error", (error) => {
      this.#error = error.message
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  readonly opened: Effect.Effect<void> = this.until("the connection is open", () => this.isOpen || undefined)

  /** Objects are sent as JSON, strings as they are, bytes as a binary frame. */
  send(message: object | string | Uint8Array): void {
    this.#socket.send(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message))
  }

  /** The next matching frame after the last one that was awaited. */
  next(what: string, is: (received: Received) => boolean): Effect.Effect<Received> {
    return this.until(what, () => {
      for (; this.#seen < this.received.length; this.#seen++) {
        const received = this.received[this.#seen]
        if (received === undefined || !is(received)) continue
        this.#seen++
        return received
      }
      return undefined
    })
  }

  nextOf(type: string): Effect.Effect<Received> {
    return this.next(`a frame of type ${type}`, (received) => received["type"] === type)
  }

  /** Sends a message and waits for the next frame of a type. */
  request(message: object | string | Uint8Array, type: string): Effect.Effect<Received> {
    return Effect.suspend(() => {
      this.send(message)
      return this.nextOf(type)
    })
  }

  /** Waits until `find` returns a value. */
  until<A>(what: string, find: () => A | undefined): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      const check = () => {
        const found = find()
        if (found === undefined) return
        this.#waiting.delete(check)
        resume(Effect.succeed(found))
      }
      this.#waiting.add(check)
      check()
      return Effect.sync(() => this.#waiting.delete(check))
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => {
          const last = this.texts.slice(-3).map((text) => text.slice(0, 300))
          const how = this.closed === undefined ? "open" : `closed with ${this.closed.code} (${this.#error})`
          return Effect.die(new Error(`timed out waiting for ${what}; ${how}; last received ${last.join("\n")}`))
        },
      }),
    )
  }

  readonly ended: Effect.Effect<Closed> = this.until("the connection ends", () => this.closed)

  /** Received events, whether sent one by one or in snapshots. */
  get events(): ReadonlyArray<Received> {
    return this.received
      .flatMap((received) =>
        received["type"] === "snapshot" ? received["events"] : "seq" in received ? [received] : [],
      )
      .filter(({ data }) => data !== undefined)
  }

  of(type: string): ReadonlyArray<Received> {
    return this.received.filter((received) => received["type"] === type)
  }

  /** Stops reading, so that the buffers in between fill up. */
  stopReading(): void {
    this.#socket.pause()
  }

  resumeReading(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.close()
  }

  /** Drops the connection without a close handshake. */
  terminate(): void {
    this.#socket.terminate()
  }

  #wake(): void {
    for (const check of [...this.#waiting]) check()
  }
}

const addressOf = (key: string, query: Readonly<Record<string, string>>) =>
  Effect.map(gatewayPort, (port) => `ws://127.0.0.1:${port}/ws?${new URLSearchParams({ key, ...query })}`)

/** A connected client, until the scope closes. */
export const connect = (key: string, query: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const url = yield* addressOf(key, query)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Client(url)),
      (made) => Effect.sync(() => made.terminate()),
    )
    yield* client.opened
    return client
  })

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
}

/** The HTTP answer to a refused upgrade. */
export const refusalOf = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(gatewayPort, (port) => call(port, path, { headers: { ...upgrade, ...headers } }))
