import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { WebSocket, WebSocketServer } from "ws"
import { Connection, type News, type Socket } from "#http/live/browser/connection.ts"

type Message = Readonly<Record<string, unknown>>

/** The far end of one connection: what the client said, one after the other. */
export class Visitor {
  readonly #socket: WebSocket
  readonly #said: Array<Message> = []
  #wanted: (() => void) | undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on("message", (data) => {
      this.#said.push(JSON.parse(String(data)))
      this.#wanted?.()
    })
  }

  /** The next that it says, pings left out. */
  async says(): Promise<Message> {
    for (;;) {
      const next = this.#said.shift()
      if (next !== undefined && next["action"] !== "ping") return next
      if (next === undefined) await new Promise<void>((resolve) => (this.#wanted = resolve))
    }
  }

  hears(...messages: ReadonlyArray<Message>): void {
    for (const message of messages) this.#socket.send(JSON.stringify(message))
  }

  cut(): void {
    this.#socket.terminate()
  }
}

/** A gateway that says what a test tells it to say, and the page's connection to it. Nothing waits longer than it must. */
export const staged = async (options: { readonly refuse?: boolean; readonly final?: boolean } = {}) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", verifyClient: () => options.refuse !== true })
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const visitors: Array<Visitor> = []
  let came: (() => void) | undefined
  server.on("connection", (socket) => {
    visitors.push(new Visitor(socket))
    came?.()
  })
  const news: Array<News> = []
  let heard: (() => void) | undefined
  const pings: Array<() => void> = []
  const time = { now: 1_000_000 }

  const connection = new Connection(
    {
      open: () => new WebSocket(`ws://127.0.0.1:${port}`).on("error", () => undefined) as Socket,
      after: (millis, run) => {
        if (millis === 10_000) {
          pings.push(run)
          return () => undefined
        }
        const timer = setTimeout(run, 0)
        return () => clearTimeout(timer)
      },
      now: () => time.now,
      random: () => 0.5,
      whyRefused: async () => ({ words: "This key is not known here.", final: options.final ?? true }),
    },
    (one) => {
      news.push(one)
      heard?.()
    },
  )

  const until = async <K extends News["kind"]>(
    kind: K,
    fits: (one: Extract<News, { kind: K }>) => boolean = () => true,
  ) => {
    for (;;) {
      const found = news.find((one): one is Extract<News, { kind: K }> => one.kind === kind && fits(one as never))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (heard = resolve))
    }
  }

  return {
    connection,
    news,
    time,
    until,
    /** What the connection does every ten seconds. */
    tick: () => pings.pop()?.(),
    visitor: async (place: number): Promise<Visitor> => {
      for (;;) {
        const found = visitors[place]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => (came = resolve))
      }
    },
    end: () => {
      connection.stop()
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}
