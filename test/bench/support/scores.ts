import { Agent, request } from "node:http"
import { WebSocket } from "ws"
import { expose } from "./expose.ts"
import type { BenchGame, DelayOptions, Delays, ScoresSubject } from "./sports.ts"

/** The venue sends the scores of a second together; clients follow so many of them at a time. */
const followedAtOnce = 4

interface Score {
  readonly score: string | null
  readonly period: string | null
}

const same = (a: Score, b: Score) => a.score === b.score && a.period === b.period

const agent = new Agent({ keepAlive: true })

const scoreIn = (port: number, key: string, { slug }: BenchGame): Promise<Score> =>
  new Promise((resolve, reject) => {
    const path = `/v2/sports/games/${slug}/state?price_limit_tokens=1`
    const asked = request({ port, host: "127.0.0.1", path, headers: { "x-api-key": key }, agent }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      })
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${path} returned ${response.statusCode}: ${text}`))
        else resolve(JSON.parse(text).score)
      })
    })
    asked.on("error", reject).end()
  })

const open = (socket: WebSocket) => new Promise<void>((resolve) => socket.once("open", () => resolve()))

/** Subscribes to all scores; the returned function waits for one of a game. */
const subscribed = async (port: number, key: string) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?key=${key}`)
  const waiting = new Map<string, { readonly score: Score; readonly heard: (at: number) => void }>()
  await open(socket)
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject)
    socket.on("message", (message) => {
      const at = performance.now()
      const { type, event_type, data, error } = JSON.parse(String(message))
      if (error !== undefined) reject(new Error(String(message)))
      if (type === "subscribed" || event_type === "subscribed") resolve()
      const wanted = waiting.get(String(data?.game_id))
      if (wanted !== undefined && same(data, wanted.score)) wanted.heard(at)
    })
    socket.send(JSON.stringify({ action: "subscribe", type: "sports" }))
  })
  const arrival = (game: string, score: Score) =>
    new Promise<number>((heard) => {
      waiting.set(game, { score, heard })
    })
  return { socket, arrival }
}

const measure = async ({ venuePort, apiPort, streamPort, key, games, count }: DelayOptions): Promise<Delays> => {
  const byId = new Map(games.map((game) => [game.id, game]))
  const last = new Map<string, Score>(games.map(({ id, score, period }) => [id, { score, period }]))
  const stream = await subscribed(streamPort, key)
  const venue = new WebSocket(`ws://127.0.0.1:${venuePort}/sports/ws`)
  await open(venue)
  const delays = { rest: [] as Array<number>, stream: [] as Array<number> }
  const following = new Map<string, { readonly replacedAt: (at: number) => void }>()

  /** A score that is replaced before it is seen counts with the time until then. */
  const follow = async (game: BenchGame, score: Score, since: number) => {
    const { promise: replaced, resolve: replacedAt } = Promise.withResolvers<number>()
    const own = { replacedAt }
    following.set(game.id, own)
    const isNewest = () => following.get(game.id) === own
    const streamed = Promise.race([stream.arrival(game.id, score), replaced])
    while (!same(await scoreIn(apiPort, key, game), score) && isNewest());
    delays.rest.push(performance.now() - since)
    delays.stream.push((await streamed) - since)
    if (isNewest()) following.delete(game.id)
  }

  await new Promise<void>((resolve, reject) => {
    venue.on("error", reject)
    venue.on("message", (message) => {
      const since = performance.now()
      const { gameId, leagueAbbreviation, score = null, period = null } = JSON.parse(String(message))
      const game = byId.get(String(gameId))
      // Scores of e-sports also have rounds.
      if (game === undefined || leagueAbbreviation === "cs2") return
      const isNew = !same(last.get(game.id) ?? { score: null, period: null }, { score, period })
      last.set(game.id, { score, period })
      if (!isNew) return
      following.get(game.id)?.replacedAt(since)
      following.delete(game.id)
      if (following.size >= followedAtOnce) return
      follow(game, { score, period }, since).then(() => {
        if (delays.rest.length >= count) resolve()
      }, reject)
    })
  })
  venue.close()
  stream.socket.close()
  return delays
}

expose<ScoresSubject>({ measure })
