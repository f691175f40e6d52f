import { mkdtempSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { WebSocket } from "ws"
import { isKnownHost } from "#src/platform/http/knownHosts.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { startSimulator } from "#src/simulator/start.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"

export const genesis = 1_794_700_800_000

const seed = 5
const rate = 20

/** A directory with the journal of a world that was frozen a minute after its genesis. */
const stoppedWorld = (scale: ScaleName): string => {
  const directory = mkdtempSync(join(tmpdir(), "presage-frozen-"))
  const journal = Journal.open(join(directory, "simulator", "journal.jsonl"), { seed, genesis, scale, rate })
  journal.add({ kind: "clock", at: genesis, offset: 0, frozenAt: genesis + 60_000, settled: false })
  return directory
}

/** A venue with a frozen clock. */
export const frozenVenue = async (scale: ScaleName = "brief") => {
  const { port, simulation, stop } = await startSimulator({
    host: "127.0.0.1",
    port: 0,
    seed,
    genesis,
    scale,
    rate,
    directory: stoppedWorld(scale),
    isKnownHost: (host) => isKnownHost(host, []),
    onError: (error) => {
      throw error
    },
  })
  const control = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const answer = await send(port, `/_sim${path}`, { method, ...(body === undefined ? {} : { body: text }) })
    return { status: answer.status, body: JSON.parse(answer.body) }
  }
  return {
    port,
    sim: simulation,
    stop,
    control,
    get: (path: string) => send(port, path),
    /** Runs `check` while a fault is on. */
    during: async (fault: object, check: () => Promise<unknown>) => {
      const on = await control("POST", "/faults", fault)
      assert.strictEqual(on.status, 200, JSON.stringify(on.body))
      await check()
      const listed = (await control("GET", "/faults")).body.faults.find(({ id }: { id: string }) => id === on.body.id)
      assert.isAbove(listed.hits, 0, "the fault never hit")
      assert.strictEqual((await control("DELETE", `/faults/${on.body.id}`)).status, 200)
      assert.deepStrictEqual((await control("GET", "/faults")).body.faults, [])
    },
  }
}

export type Venue = Awaited<ReturnType<typeof frozenVenue>>

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  /** The error message if the response broke off. */
  readonly broken: string | undefined
}

/** Sends a request without fetch, so that broken responses can be inspected. */
export const send = (port: number, path: string, options: { method?: string; body?: string } = {}) =>
  new Promise<Answer>((resolve) => {
    let body = ""
    let head: Pick<Answer, "status" | "headers"> = { status: 0, headers: {} }
    const end = (broken?: string) => resolve({ ...head, body, broken })
    const outgoing = request(
      { host: "127.0.0.1", port, path, method: options.method ?? "GET", agent: false },
      (incoming) => {
        head = { status: incoming.statusCode ?? 0, headers: incoming.headers }
        incoming.setEncoding("utf8")
        incoming.on("data", (chunk) => {
          body += chunk
        })
        incoming.on("end", () => end())
        incoming.on("error", (error) => end(error.message))
      },
    )
    outgoing.on("error", (error) => end(error.message))
    outgoing.end(options.body)
  })

const deadline = 240_000

const within = <A>(what: string, promise: Promise<A>) =>
  new Promise<A>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} timed out`)), deadline)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** A connection that records its messages. */
export class Client {
  readonly texts: Array<string> = []
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #arrived: () => void = () => undefined

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.on("close", resolve))
    socket.on("message", (data) => {
      this.texts.push(String(data))
      this.#arrived()
    })
  }

  static open(port: number, path: string): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    const client = new Client(socket)
    return within(
      "a connection",
      new Promise((resolve, reject) => {
        socket.on("open", () => resolve(client))
        socket.on("unexpected-response", (_, { statusCode }) => reject(new Error(`refused with ${statusCode}`)))
        socket.on("error", reject)
      }),
    )
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message))
  }

  /** Waits for `count` messages and removes them from the record. */
  take(count: number): Promise<ReadonlyArray<string>> {
    return within(
      `message ${count} after ${JSON.stringify(this.texts)}`,
      new Promise((resolve) => {
        this.#arrived = () => {
          if (this.texts.length >= count) resolve(this.texts.splice(0, count))
        }
        this.#arrived()
      }),
    )
  }

  /** Resolves after everything sent so far has arrived: frames keep their order. */
  async settled(): Promise<void> {
    const pong = new Promise((resolve) => this.#socket.once("pong", resolve))
    this.#socket.ping()
    await within("a pong", pong)
  }

  end(): Promise<number> {
    this.#socket.close()
    return within("the end", this.closed)
  }
}
