import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { WebSocket, WebSocketServer } from "ws"
import { Connection, type ConnectionEvent, type Socket } from "#web/shared/stream/connection.ts"

type Message = Readonly<Record<string, unknown>>

/** The server side of one connection, with the client's messages in order. */
export class FakeSession {
  readonly #socket: WebSocket
  readonly #messages: Array<Message> = []
  #onMessage: (() => void) | undefined

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on("message", (data) => {
      this.#messages.push(JSON.parse(String(data)))
      this.#onMessage?.()
    })
  }

  /** The next client message, ignoring pings. */
  async next(): Promise<Message> {
    for (;;) {
      const next = this.#messages.shift()
      if (next !== undefined && next["action"] !== "ping") return next
      if (next === undefined) await new Promise<void>((resolve) => (this.#onMessage = resolve))
    }
  }

  send(...messages: ReadonlyArray<Message>): void {
    for (const message of messages) this.#socket.send(JSON.stringify(message))
  }

  cut(): void {
    this.#socket.terminate()
  }
}

/** A gateway controlled by the test, and the page's connection to it. Timers fire at once. */
export const makeFakeGateway = async (options: { readonly refuse?: boolean; readonly final?: boolean } = {}) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", verifyClient: () => options.refuse !== true })
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const sessions: Array<FakeSession> = []
  let onSession: (() => void) | undefined
  server.on("connection", (socket) => {
    sessions.push(new FakeSession(socket))
    onSession?.()
  })
  const events: Array<ConnectionEvent> = []
  let onEvent: (() => void) | undefined
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
      refusalReason: async () => ({ text: "This key is not known here.", final: options.final ?? true }),
    },
    (event) => {
      events.push(event)
      onEvent?.()
    },
  )

  const until = async <K extends ConnectionEvent["kind"]>(
    kind: K,
    matches: (event: Extract<ConnectionEvent, { kind: K }>) => boolean = () => true,
  ) => {
    for (;;) {
      const found = events.find(
        (event): event is Extract<ConnectionEvent, { kind: K }> => event.kind === kind && matches(event as never),
      )
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (onEvent = resolve))
    }
  }

  return {
    connection,
    events,
    time,
    until,
    /** Runs the ten-second check of the connection. */
    tick: () => pings.pop()?.(),
    session: async (index: number): Promise<FakeSession> => {
      for (;;) {
        const found = sessions[index]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => (onSession = resolve))
      }
    },
    end: () => {
      connection.stop()
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}
