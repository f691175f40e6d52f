import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll } from "@effect/vitest"
import { WebSocket } from "ws"
import { clobService } from "#src/simulator/clob/clobService.ts"
import { marketSocket } from "#src/simulator/clob/socket/marketSocket.ts"
import { makeServer } from "#src/simulator/server.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { type Json, served } from "./clobWorld.ts"

export const kind = (type: string) => (message: Json) => message["event_type"] === type
export const idsOf = (tokens: ReadonlyArray<Token>) => tokens.map(({ id }) => id)
export const subscription = (tokens: ReadonlyArray<Token>, more: object = {}) => ({
  type: "market",
  assets_ids: idsOf(tokens),
  ...more,
})

export type Rows = ReadonlyArray<{ readonly price: string; readonly size: string }>

/** One connection. `received` waits for a pong, then returns everything that arrived before it. */
const connection = async (socket: WebSocket) => {
  const frames: Array<string> = []
  let pong: () => void = () => undefined
  socket.on("message", (data) => {
    const text = String(data)
    if (text === "PONG") pong()
    else frames.push(text)
  })
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
  const rawFrames = async (): Promise<ReadonlyArray<unknown>> => {
    const answered = new Promise<void>((resolve) => {
      pong = resolve
    })
    socket.send("PING")
    await answered
    return frames.splice(0).map((text) => JSON.parse(text))
  }
  return {
    send: (frame: unknown) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    rawFrames,
    received: async (): Promise<ReadonlyArray<Json>> => (await rawFrames()).flat() as ReadonlyArray<Json>,
    close: () => new Promise((resolve) => socket.once("close", resolve).close()),
  }
}

/** A frozen world with its CLOB service on a real port, for the tests of one file. */
export const socketServed = (seed: number) => {
  const world = served(seed)
  const { sim, open, tokensOf, post } = world
  const faults: Array<unknown> = []
  const server = makeServer(
    { services: { "/clob": clobService(sim) }, sockets: { "/clob/ws/market": { open: marketSocket(sim) } } },
    (error) => faults.push(error),
  )
  const sockets: Array<WebSocket> = []
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  afterAll(async () => {
    for (const socket of sockets) socket.terminate()
    await new Promise((resolve) => server.close(resolve))
    assert.deepStrictEqual(faults, [])
  })

  return {
    ...world,
    connect: () => {
      const { port } = server.address() as AddressInfo
      const socket = new WebSocket(`ws://127.0.0.1:${port}/clob/ws/market`)
      sockets.push(socket)
      return connection(socket)
    },
    /** In the order of the tokens, unlike the response. */
    booksOf: (tokens: ReadonlyArray<Token>): ReadonlyArray<Json> => {
      const books: ReadonlyArray<Json> = post(
        "/books",
        tokens.map(({ id }) => ({ token_id: id })),
      )
      return tokens.flatMap(({ id }) => books.filter((book) => book["asset_id"] === id))
    },
    /** Tokens of busy long-lived markets, some with both outcomes, some with one. */
    busy: (count: number): ReadonlyArray<Token> =>
      [...open()]
        .filter(({ plan }) => plan.endsAt > sim.now() + 3_600_000)
        .sort((a, b) => b.trades - a.trades)
        .slice(0, count)
        .flatMap((market, index) => (index % 3 === 0 ? tokensOf(market).slice(1) : tokensOf(market))),
  }
}
