import { Agent, request } from "node:http"
import { WebSocket, WebSocketServer } from "ws"
import { expose } from "./expose.ts"
import type { BenchGame, DelayOptions, Delays, ScoresSubject } from "./sports.ts"

const tickMillis = 10

let server: WebSocketServer | undefined
let sent = 0

/** As the venue's socket sends it. */
const frameOf = ({ id }: BenchGame, score: string) =>
  JSON.stringify({
    gameId: Number(id),
    status: "InProgress",
    score,
    period: "Q2",
    elapsed: "05:00",
    live: true,
    ended: false,
    updatedAt: new Date().toISOString(),
  })

const nextScore = () => {
  sent += 1
  return `${sent}-${sent % 97}`
}

const publish = (game: BenchGame, score: string) => {
  const frame = frameOf(game, score)
  for (const client of server?.clients ?? []) client.send(frame)
}

const connected = () =>
  new Promise<void>((resolve) => {
    if ((server?.clients.size ?? 0) > 0) resolve()
    else server?.once("connection", () => resolve())
  })

const agent = new Agent({ keepAlive: true })

const scoreIn = (port: number, key: string, { slug }: BenchGame): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const path = `/v2/sports/games/${slug}/state?price_limit_tokens=1`
    const asked = request({ port, host: "127.0.0.1", path, headers: { "x-api-key": key }, agent }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${path} returned ${response.statusCode}: ${text}`))
        else resolve(JSON.parse(text).score.score)
      })
    })
    asked.on("error", reject).end()
  })

/** Subscribes to all scores; the returned function waits for one. */
const subscribed = async (port: number, key: string) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?key=${key}`)
  const waiting = new Map<string, (at: number) => void>()
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject)
    socket.on("open", () => socket.send(JSON.stringify({ action: "subscribe", type: "sports" })))
    socket.on("message", (message) => {
      const at = performance.now()
      const { type, event_type, data, error } = JSON.parse(String(message))
      if (error !== undefined) reject(new Error(String(message)))
      if (type === "subscribed" || event_type === "subscribed") resolve()
      const score = data?.score
      if (typeof score === "string") waiting.get(score)?.(at)
    })
  })
  return { socket, arrival: (score: string) => new Promise<number>((resolve) => waiting.set(score, resolve)) }
}

const measure = async ({ apiPort, streamPort, key, games, count, others }: DelayOptions): Promise<Delays> => {
  await connected()
  const { socket, arrival } = await subscribed(streamPort, key)
  const [followed, beside] = [games.slice(0, count), games.slice(count)]
  const perTick = (others * tickMillis) / 1000
  let due = 0
  const traffic = setInterval(() => {
    for (due += perTick; due >= 1; due -= 1) {
      const game = beside[Math.floor(Math.random() * beside.length)]
      if (game !== undefined) publish(game, nextScore())
    }
  }, tickMillis)
  const delays = { rest: [] as Array<number>, stream: [] as Array<number> }
  for (const game of followed) {
    const score = nextScore()
    const streamed = arrival(score)
    const since = performance.now()
    publish(game, score)
    while ((await scoreIn(apiPort, key, game)) !== score);
    delays.rest.push(performance.now() - since)
    delays.stream.push((await streamed) - since)
  }
  clearInterval(traffic)
  socket.close()
  return delays
}

expose<ScoresSubject>({
  listen: () =>
    new Promise((resolve) => {
      const listening = new WebSocketServer({ host: "127.0.0.1", port: 0 }, () => {
        server = listening
        const address = listening.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    }),
  measure,
})
