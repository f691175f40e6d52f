import { WebSocket } from "ws"

/** A message of the gateway. */
export interface Said {
  readonly type: string
  readonly [field: string]: unknown
}

/** What somebody follows: what is asked for on every new connection, and what is made of the answers. */
export interface Following {
  /** Called once per connection, before anything is heard on it. */
  readonly asks: () => ReadonlyArray<object>
  /** What is to be said in turn. */
  readonly hear: (said: Said) => ReadonlyArray<object>
  /** Everything that was missed while there was no connection has come. */
  readonly isCaughtUp: () => boolean
}

const comeBackMillis = 50
/** After a refusal that names no time. */
const askAgainMillis = 300

/** Keeps a connection to one of several gateways as its author should: comes back to another one and resumes. */
export class Follower {
  readonly name: string
  readonly refusals: Array<string> = []
  messages = 0
  connections = 0
  resumes = 0
  longestGapMillis = 0
  readonly #addresses: ReadonlyArray<string>
  readonly #following: Following
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #lostAt: number | undefined
  #isOver = false

  constructor(name: string, addresses: ReadonlyArray<string>, following: Following) {
    this.name = name
    this.#addresses = addresses
    this.#following = following
  }

  start(): void {
    const address = this.#addresses[this.connections++ % this.#addresses.length] ?? ""
    const socket = new WebSocket(address, { handshakeTimeout: 5_000 })
    this.#socket = socket
    let again = comeBackMillis
    const say = (messages: ReadonlyArray<object>) => {
      for (const message of messages) socket.send(JSON.stringify(message))
    }
    socket.on("open", () => say(this.#following.asks()))
    socket.on("message", (data) => {
      const said = JSON.parse(String(data)) as Said
      this.messages++
      if (said.type === "error") {
        this.refusals.push(`${said["code"]}: ${said["message"]}`)
        again = Number(said["retry_after_ms"] ?? askAgainMillis)
        socket.close()
      } else {
        say(this.#following.hear(said))
        this.#measure()
      }
    })
    // It is followed by `close`, which is where we come back.
    socket.on("error", () => undefined)
    socket.on("close", () => {
      this.#lostAt ??= performance.now()
      if (!this.#isOver) this.#timer = setTimeout(() => this.start(), again)
    })
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#socket?.terminate()
  }

  #measure(): void {
    if (this.#lostAt === undefined || !this.#following.isCaughtUp()) return
    this.resumes++
    this.longestGapMillis = Math.max(this.longestGapMillis, performance.now() - this.#lostAt)
    this.#lostAt = undefined
  }
}
