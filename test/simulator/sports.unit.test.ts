import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { WebSocket } from "ws"
import { controlService } from "#src/simulator/control/controlService.ts"
import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { makeServer } from "#src/simulator/server.ts"
import { messageText, sportsSocket } from "#src/simulator/sports/sportsSocket.ts"
import type { WireSocket } from "#src/simulator/wire.ts"
import type { Game } from "#src/simulator/world/model.ts"

const minute = 60_000
const hour = 60 * minute

/** Twenty minutes before a football game of this world. */
const kickOff = 1_795_118_400_000
const genesis = kickOff - 20 * minute

const simulated = (begin: number) => {
  const frozen = new Simulation(
    Journal.open(undefined, { seed: 7, genesis: begin, scale: "brief", rate: 0.01 }),
    () => begin,
  )
  frozen.freeze()
  return frozen
}

const sim = simulated(genesis)
const { venue } = sim.model.world

type Message = Readonly<Record<string, unknown>>

const connected = () => {
  const sent: Array<string> = []
  const socket: WireSocket = {
    send: (text) => sent.push(text),
    close: () => undefined,
    onMessage: () => undefined,
    onClose: () => undefined,
  }
  return { sent, socket }
}

const request = { method: "GET", path: "/", query: new URLSearchParams(), target: "/", headers: {}, body: "" }

const opened = (url: string) =>
  new Promise<WebSocket>((resolve, reject) => {
    const client = new WebSocket(url)
    client.once("open", () => resolve(client))
    client.once("error", reject)
  })

/** Resolves when a client receives a matching text. */
const nextText = (client: WebSocket, matches: (text: string) => boolean) =>
  new Promise<string>((resolve) => {
    client.on("message", (data) => {
      const text = String(data)
      if (matches(text)) resolve(text)
    })
  })

const listening = async (pingEvery: number) => {
  const faults: Array<unknown> = []
  const server = makeServer(
    { services: {}, sockets: { "/sports/ws": { open: sportsSocket(sim, pingEvery) } } },
    (error) => faults.push(error),
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/sports/ws`, server, faults }
}

const closed = (client: WebSocket) => new Promise<number>((resolve) => client.once("close", resolve))

describe("games that are called off", () => {
  it("are sent at once and stay called off in the catalogue", () => {
    const journal = Journal.open(undefined, { seed: 7, genesis, scale: "brief", rate: 0.01 })
    const own = new Simulation(journal, () => genesis)
    own.freeze()
    const games = own.model.world.venue.events.flatMap(({ plan }) => plan.game ?? [])
    const [playing, later] = [
      games.find(({ startsAt }) => startsAt === kickOff),
      games.find(({ startsAt }) => startsAt > kickOff + 5 * hour),
    ]
    const { sent, socket } = connected()
    sportsSocket(own, hour)(socket, request)
    own.advance(80 * minute)
    sent.length = 0
    assert.isTrue(own.callOff(playing?.id ?? 0, "cancelled"))
    const control = (id: number | undefined, body: object) => {
      const path = `/games/${id}`
      return controlService(own)({ ...request, method: "POST", path, target: path, body: JSON.stringify(body) }).status
    }
    assert.strictEqual(control(later?.id, { called_off: "postponed" }), 200)
    assert.strictEqual(control(later?.id, { called_off: "forgotten" }), 400)
    assert.strictEqual(control(1, { called_off: "postponed" }), 404)
    const [first, second]: ReadonlyArray<Message> = sent.map((text) => JSON.parse(text))
    assert.deepInclude(first, { status: "cancelled", period: "CAN", live: false, ended: true })
    assert.match(String(first?.["score"]), /^\d+-\d+$/)
    assert.deepInclude(second, { status: "postponed", period: "POST", live: false, ended: false })
    own.advance(4 * hour)
    assert.isTrue(playing !== undefined && messageText({ game: playing, at: own.now() }).includes('"cancelled"'))
    const slug = own.model.world.venue.events.find(({ plan }) => plan.game?.id === playing?.id)?.plan.slug
    const path = `/events/slug/${slug}`
    const { body } = gammaService(own)({ ...request, path, target: path })
    assert.deepInclude(JSON.parse(body), { gameStatus: "cancelled", period: "CAN", ended: true, live: false })
  })
})

describe("sportsSocket", () => {
  it("every change of a game is sent once, from scheduled to finished", () => {
    const event = venue.events.find(({ plan }) => plan.game?.startsAt === kickOff && plan.game.league === "nfl")
    assert.isDefined(event)
    const game = event?.plan.game as Game
    const { sent, socket } = connected()
    sportsSocket(sim, hour)(socket, request)
    assert.isEmpty(sent)
    while (sim.now() < game.endsAt + 10 * minute) sim.advance(10 * minute)
    socket.onClose()

    const all: ReadonlyArray<Message> = sent.map((text) => JSON.parse(text))
    const messages = all.filter(({ gameId }) => gameId === game.id)
    const first = messages[0]
    assert.deepStrictEqual(first, {
      gameId: game.id,
      leagueAbbreviation: "nfl",
      homeTeam: "PIT",
      awayTeam: "CLE",
      status: "scheduled",
      live: false,
      ended: false,
      updatedAt: new Date(kickOff - 10 * minute).toISOString(),
    })
    assert.deepStrictEqual([...new Set(messages.map(({ status }) => status))], ["scheduled", "InProgress", "finished"])

    // Every score change is sent at its time; the remaining messages are possession changes.
    const byTime = new Map(messages.map((message) => [message["updatedAt"], message]))
    for (const { at, home, away, period, elapsed } of game.scores) {
      const message = byTime.get(new Date(at).toISOString())
      assert.deepInclude(message, { score: `${home}-${away}`, period })
      assert.strictEqual(message?.["elapsed"] ?? "", elapsed)
    }
    const live = messages.filter((message) => message["live"] === true)
    const playing = live.filter(({ period }) => period !== "HT")
    assert.isTrue(playing.every(({ turn }) => turn === "pit" || turn === "cle"))
    assert.sameMembers([...new Set(playing.map(({ turn }) => turn))], ["pit", "cle"])
    assert.isAbove(live.length, game.scores.length)
    assert.lengthOf(
      live.filter(({ period }) => period === "HT"),
      1,
    )

    const last = messages.at(-1)
    assert.deepInclude(last, { status: "finished", live: false, ended: true, period: "FT" })
    assert.strictEqual(last?.["finishedTimestamp"], new Date(game.endsAt).toISOString().replace("Z", "000000Z"))
    assert.notProperty(last, "turn")
    const times = messages.map((message) => Date.parse(String(message["updatedAt"])))
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.lengthOf(new Set(sent), sent.length)
  })

  it("no message has a slug, other sports have neither possession nor times, and some games an id without a number", () => {
    const evening = simulated(Date.UTC(2026, 10, 13, 17))
    const { sent, socket } = connected()
    sportsSocket(evening, hour)(socket, request)
    for (let i = 0; i < 9; i++) evening.advance(hour)
    socket.onClose()
    const messages: ReadonlyArray<Message> = sent.map((text) => JSON.parse(text))
    const soccer = messages.filter(({ leagueAbbreviation }) => leagueAbbreviation === "ucl")
    const tennis = messages.filter(({ leagueAbbreviation }) => leagueAbbreviation === "atp")
    assert.lengthOf(new Set(soccer.map(({ gameId }) => gameId)), 1)
    assert.isTrue(messages.every((message) => !("slug" in message) && !("updatedAt" in message)))
    assert.isTrue(
      tennis.every(({ gameId, metadataGameId }) => gameId === undefined && /^id27\d+$/.test(`${metadataGameId}`)),
    )
    assert.sameOrderedMembers([...new Set(soccer.map(({ period }) => period))], [undefined, "1H", "HT", "2H", "FT"])
    assert.deepInclude(soccer[1], { homeTeam: "PSV", awayTeam: "BRU", score: "0-0", elapsed: "00:00", live: true })
    assert.deepInclude(tennis[1], { homeTeam: "Aldenberg", awayTeam: "Petrenkov", period: "S1" })
    assert.isTrue(messages.every((message) => !("turn" in message)))
    // The catalogue has the same id in the metadata of the event.
    const event = evening.model.world.venue.events.find(({ plan }) => plan.game?.league === "atp")
    const path = `/events/${event?.id}`
    const { gameId, eventMetadata } = JSON.parse(gammaService(evening)({ ...request, path, target: path }).body)
    assert.isUndefined(gameId)
    assert.include(
      tennis.map(({ metadataGameId }) => metadataGameId),
      eventMetadata.gameId,
    )
  })

  it("esports scores contain the map score", () => {
    const event = venue.events.find(({ plan }) => plan.game?.league === "cs2")
    const game = event?.plan.game as Game
    const { home, away } = game.scores.at(-1) as Game["scores"][number]
    const message = JSON.parse(messageText({ game, at: game.endsAt }))
    assert.strictEqual(message.score, `000-000|${home}-${away}|Bo3`)
    assert.strictEqual(message.homeTeam, game.home.alias)
  })

  it("sends protocol pings and no text between games, and ignores what clients send", async () => {
    const { url, server, faults } = await listening(20)
    const client = await opened(url)
    const texts: Array<string> = []
    client.on("message", (data) => texts.push(String(data)))
    client.send("{")
    client.send('{"subscribe":"all"}')
    client.send(Buffer.from([0, 255, 254]))
    client.send("\u0000".repeat(1000))
    for (let pings = 0; pings < 6; pings++) await new Promise((resolve) => client.once("ping", resolve))
    assert.strictEqual(client.readyState, WebSocket.OPEN)
    assert.isEmpty(texts)
    const gone = closed(client)
    client.close()
    await gone
    assert.isEmpty(faults)
    await new Promise((resolve) => server.close(resolve))
  })

  it("updates are broadcast to all clients over the wire", async () => {
    const { url, server } = await listening(hour)
    const clients = await Promise.all([opened(url), opened(url)])
    const receivedByAll = Promise.all(clients.map((client) => nextText(client, (text) => text.startsWith("{"))))
    const starts = venue.events.flatMap(({ plan }) => plan.game?.startsAt ?? [])
    const next = Math.min(...starts.filter((at) => at > sim.now() + hour))
    assert.isTrue(Number.isFinite(next))
    while (sim.now() <= next) sim.advance(hour)
    const [first, second] = await receivedByAll
    assert.strictEqual(first, second)
    assert.isString(JSON.parse(first ?? "").leagueAbbreviation)
    for (const client of clients) client.close()
    await Promise.all(clients.map(closed))
    await new Promise((resolve) => server.close(resolve))
  })
})
