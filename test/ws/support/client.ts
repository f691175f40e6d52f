import { inflateRawSync } from "node:zlib"
import { Effect } from "effect"
import { WebSocket } from "ws"
import { call } from "#test/http/support/client.ts"
import { patience } from "#test/support/patience.ts"
import { gatewayPort } from "./gateway.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
export type Told = Readonly<Record<string, any>>

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A real client. Keeps everything it was told, in order, and can wait for what is still to come. */
export class Client {
  /** Parsed; binary frames are inflated first. */
  readonly told: Array<Told> = []
  /** The same as they came. */
  readonly texts: Array<string> = []
  /** Whether each of them came as a binary frame. */
  readonly binaries: Array<boolean> = []
  closed: Closed | undefined
  /** Of payloads, as they came over the wire. */
  bytes = 0
  readonly #socket: WebSocket
  readonly #waiting = new Set<() => void>()
  #seen = 0

  constructor(url: string) {
    this.#socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true })
    this.#socket.on("message", (bytes: Buffer, isBinary) => {
      const text = (isBinary ? inflateRawSync(bytes) : bytes).toString()
      this.bytes += bytes.length
      this.texts.push(text)
      this.binaries.push(isBinary)
      this.told.push(JSON.parse(text))
      this.#wake()
    })
    this.#socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      this.#wake()
    })
    this.#socket.on("open", () => this.#wake())
    this.#socket.on("error", () => {})
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  readonly opened: Effect.Effect<void> = this.until("the connection is open", () => this.isOpen || undefined)

  /** As JSON, unless it is text already; bytes go as a binary frame. */
  say(message: object | string | Uint8Array): void {
    this.#socket.send(typeof message === "string" || message instanceof Uint8Array ? message : JSON.stringify(message))
  }

  /** The next frame of this kind after the one that was last waited for. */
  next(what: string, is: (told: Told) => boolean): Effect.Effect<Told> {
    return this.until(what, () => {
      for (; this.#seen < this.told.length; this.#seen++) {
        const told = this.told[this.#seen]
        if (told === undefined || !is(told)) continue
        this.#seen++
        return told
      }
      return undefined
    })
  }

  nextOf(type: string): Effect.Effect<Told> {
    return this.next(`a frame of type ${type}`, (told) => told["type"] === type)
  }

  /** Says something and waits for the next frame of a type. */
  ask(message: object | string | Uint8Array, type: string): Effect.Effect<Told> {
    return Effect.suspend(() => {
      this.say(message)
      return this.nextOf(type)
    })
  }

  /** Waits for whatever this finds. */
  until<A>(what: string, find: () => A | undefined): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        this.#waiting.delete(look)
        resume(Effect.succeed(found))
      }
      this.#waiting.add(look)
      look()
      return Effect.sync(() => this.#waiting.delete(look))
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => {
          const last = this.texts.slice(-3).map((text) => text.slice(0, 300))
          const how = this.closed === undefined ? "open" : `closed with ${this.closed.code}`
          return Effect.die(new Error(`did not come: ${what}; ${how}; last heard ${last.join("\n")}`))
        },
      }),
    )
  }

  readonly ended: Effect.Effect<Closed> = this.until("the connection ends", () => this.closed)

  /** Events with their seq, as they came, whether one by one or several in a frame. */
  get events(): ReadonlyArray<Told> {
    return this.told
      .flatMap((told) => (told["type"] === "snapshot" ? told["events"] : "seq" in told ? [told] : []))
      .filter(({ data }) => data !== undefined)
  }

  of(type: string): ReadonlyArray<Told> {
    return this.told.filter((told) => told["type"] === type)
  }

  /** Stops reading: what comes fills the buffers in between. */
  stopReading(): void {
    this.#socket.pause()
  }

  goOnReading(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.close()
  }

  /** As when the machine is gone. */
  vanish(): void {
    this.#socket.terminate()
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look()
  }
}

const addressOf = (key: string, query: Readonly<Record<string, string>>) =>
  Effect.map(gatewayPort, (port) => `ws://127.0.0.1:${port}/ws?${new URLSearchParams({ key, ...query })}`)

/** A client that is connected, until the scope ends. */
export const connect = (key: string, query: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const url = yield* addressOf(key, query)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new Client(url)),
      (made) => Effect.sync(() => made.vanish()),
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

/** What an upgrade is answered that is refused. */
export const refusalOf = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(gatewayPort, (port) => call(port, path, { headers: { ...upgrade, ...headers } }))
