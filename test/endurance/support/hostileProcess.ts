// Clients that send nonsense, or ask for much and read nothing. Ends when all of them have left.
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import { WebSocket } from "ws"
import { Dice } from "#src/simulator/random.ts"
import { anyFrames, anyMessage } from "#test/ws/support/fuzz.ts"
import { upgradeRequest, Wire } from "#test/ws/support/wire.ts"

const frames = 20_000
const perSocket = 50
const sockets = 8
const storms = { sockets: 200, subscriptions: 50, items: 500 }
const silent = { sockets: 500, millis: 60_000 }
const unread = { connections: 50, requests: 64, millis: 15_000 }
const answerWithin = 10_000

const streams = new URL(process.env["STREAMS"] ?? "")
const api = new URL(process.env["API"] ?? "")
const key = process.env["KEY"] ?? ""
const paths: ReadonlyArray<string> = JSON.parse(process.env["PATHS"] ?? "[]")
const dice = new Dice(Number(process.env["SEED"]))

const say = (text: string) => void process.stdout.write(`${text}\n`)
const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))

const openSocket = async (): Promise<WebSocket | undefined> => {
  const socket = new WebSocket(`${streams.origin}/ws?key=${key}`)
  socket.on("error", () => undefined)
  await Promise.race([once(socket, "open").catch(() => undefined), once(socket, "close")])
  return socket.readyState === WebSocket.OPEN ? socket : undefined
}

const sendMessages = async () => {
  const socket = await openSocket()
  for (let count = 0; count < perSocket; count++) socket?.send(anyMessage(dice))
  const ended = socket === undefined ? undefined : once(socket, "close")
  socket?.close()
  await Promise.race([ended, setTimeout(answerWithin)])
  socket?.terminate()
}

const sendFrames = async () => {
  const wire = new Wire(Number(streams.port))
  wire.write(upgradeRequest(`/ws?key=${key}`))
  for (let waited = 0; !wire.isClosed && !wire.received.includes("\r\n\r\n") && waited < answerWithin; waited += 5)
    await setTimeout(5)
  wire.write(anyFrames(dice, perSocket))
  await setTimeout(5)
  wire.socket.resetAndDestroy()
}

const fuzz = async () => {
  for (let sent = 0; sent < frames; sent += perSocket * sockets)
    await Promise.all(many(sockets, (index) => (index % 4 === 3 ? sendFrames() : sendMessages())))
}

const wallet = () => `0x${many(40, () => dice.below(16).toString(16)).join("")}`

const storm = async () => {
  for (let left = storms.sockets; left > 0; left -= sockets)
    await Promise.all(
      many(sockets, async () => {
        const socket = await openSocket()
        const filters = { wallets: many(storms.items, wallet) }
        for (let count = 0; count < storms.subscriptions; count++)
          socket?.send(JSON.stringify({ action: "subscribe", type: "fills", filters }))
        await setTimeout(dice.below(1_000))
        socket?.terminate()
      }),
    )
}

/** Sockets that subscribe to everything and never read. */
const beSilent = async () => {
  const opened = await Promise.all(many(silent.sockets, openSocket))
  for (const socket of opened) {
    socket?.send(JSON.stringify({ action: "subscribe", type: "global", snapshot_count: 500 }))
    socket?.send(JSON.stringify({ action: "subscribe", type: "orderbook", markets: ["*"] }))
    socket?.pause()
  }
  await setTimeout(silent.millis)
  for (const socket of opened) socket?.terminate()
}

/** Requests in a row whose answers are never read. */
const readNothing = async () => {
  const wires = many(unread.connections, () => {
    const wire = new Wire(Number(api.port))
    wire.socket.pause()
    const head = `Host: ${api.host}\r\nx-api-key: ${key}\r\n\r\n`
    wire.write(...many(unread.requests, () => `GET ${dice.pick(paths)} HTTP/1.1\r\n${head}`))
    return wire
  })
  await setTimeout(unread.millis)
  for (const { socket } of wires) socket.destroy()
}

for (const [name, act] of Object.entries({ fuzz, storm, beSilent, readNothing })) {
  const since = performance.now()
  await act()
  say(`${name} took ${((performance.now() - since) / 1000).toFixed(0)} s`)
}
process.exit(0)
