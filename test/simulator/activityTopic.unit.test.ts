import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { WebSocket } from "ws"
import { activityTopic } from "#src/simulator/data/activityTopic.ts"
import { rtdsSocket } from "#src/simulator/oracle/rtds.ts"
import { makeServer } from "#src/simulator/server.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { defined, type Json, keyOf, served, textIn } from "./dataVenue.ts"

const world = served(8)
const { sim, facts, end } = world

const subscription = (type: string, filters?: string) =>
  JSON.stringify({ action: "subscribe", subscriptions: [{ topic: "activity", type, filters }] })

/** A WebSocket client that collects its messages. */
const connect = async (port: number) => {
  const received: Array<Json> = []
  let onMessage = () => {}
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rtds`)
  socket.on("message", (data) => {
    const text = String(data)
    received.push(text.startsWith("{") ? JSON.parse(text) : { text })
    onMessage()
  })
  await new Promise<void>((resolve, reject) => socket.once("open", resolve).once("error", reject))
  /** All messages up to the answer to a ping; the server keeps the order. */
  const settled = async (): Promise<ReadonlyArray<Json>> => {
    socket.send("PING")
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("no answer")), 60_000)
      onMessage = () => {
        if (received.at(-1)?.["text"] !== "") return
        clearTimeout(late)
        resolve()
      }
    })
    received.pop()
    return received.splice(0)
  }
  return { socket, settled, send: (text: string) => socket.send(text) }
}

const payloads = (messages: ReadonlyArray<Json>) => messages.map(({ payload }) => payload as Json)

describe("activity topic", () => {
  it("taker trades are published once, when their block appears, to matching subscribers", async () => {
    const server = makeServer(
      { services: {}, sockets: { "/rtds": { open: rtdsSocket(sim, [activityTopic(sim)]) } } },
      (error) => assert.fail(String(error)),
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const [all, both, ofEvent, ofMarket] = await Promise.all([
      connect(port),
      connect(port),
      connect(port),
      connect(port),
    ])
    try {
      const first = end()
      const waiting = defined(
        Array.from({ length: facts.length - first }, (_, i) => first + i).find(
          (tx) => facts.kind.get(tx) === TxKind.match,
        ),
      )
      const { event, plan } = world.market(facts.market.get(waiting))
      all.send("{broken")
      all.send(subscription("trades"))
      both.send(subscription("*"))
      ofEvent.send(subscription("orders_matched", JSON.stringify({ event_slug: event.plan.slug })))
      ofMarket.send(subscription("trades", JSON.stringify({ market_slug: plan.slug })))
      for (const client of [all, both, ofEvent, ofMarket]) assert.isEmpty(await client.settled())

      sim.advance(20_000)
      const expected: ReadonlyArray<Json> = world.list(`/trades?limit=10000`).slice(0, matchesFrom(first)).reverse()
      const trades = await all.settled()
      assert.isAbove(trades.length, 5)
      assert.deepStrictEqual(payloads(trades), expected)
      for (const { topic, type } of trades) assert.deepStrictEqual([topic, type], ["activity", "trades"])
      const types = (await both.settled()).map(({ type }) => type)
      assert.lengthOf(types, expected.length * 2)
      assert.lengthOf(
        types.filter((type) => type === "orders_matched"),
        expected.length,
      )
      const inEvent = payloads(await ofEvent.settled())
      assert.deepStrictEqual(
        inEvent.map(keyOf),
        expected.filter((row) => row["eventSlug"] === event.plan.slug).map(keyOf),
      )
      const inMarket = payloads(await ofMarket.settled())
      assert.isTrue(inMarket.length > 0 && inMarket.every((row) => textIn(row, "slug") === plan.slug))

      sim.reorg(5)
      sim.advance(10_000)
      const published = [...payloads(trades), ...payloads(await all.settled())].map(keyOf)
      const now = world.list(`/trades?limit=10000`).slice(0, matchesFrom(first)).reverse()
      assert.deepStrictEqual(published, now.map(keyOf))
    } finally {
      for (const { socket } of [all, both, ofEvent, ofMarket]) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})

const matchesFrom = (first: number): number => {
  let count = 0
  for (let tx = first; tx < end(); tx++) if (facts.kind.get(tx) === TxKind.match) count += 1
  return count
}
