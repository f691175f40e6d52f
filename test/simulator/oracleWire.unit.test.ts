import { createHash, createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { WebSocket } from "ws"
import { binancePrice } from "#src/simulator/oracle/derivedPrices.ts"
import { simulatorCredentials } from "#src/simulator/start.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import { Client, frozenVenue, type Venue } from "./frozenVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue("tiny")
})
afterAll(() => venue.stop())

const [btc] = coins.map(({ feedId }) => feedId)

const headersFor = (signed: string) => {
  const { clientId, secret } = simulatorCredentials
  const stamp = String(Date.now())
  const empty = createHash("sha256").update("").digest("hex")
  return {
    authorization: clientId,
    "x-authorization-timestamp": stamp,
    "x-authorization-signature-sha256": createHmac("sha256", secret)
      .update(`GET ${signed} ${empty} ${clientId} ${stamp}`)
      .digest("hex"),
  }
}

/** Returns 101 when the socket opens. */
const handshake = (path: string, signed: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${venue.port}${path}`, { headers: headersFor(signed) })
    socket.on("open", () => {
      resolve(101)
      socket.terminate()
    })
    socket.on("unexpected-response", (_, { statusCode }) => {
      resolve(statusCode)
      socket.terminate()
    })
    socket.on("error", reject)
  })

describe("data streams signatures", () => {
  it("REST accepts signatures over the path with and without the simulator's prefix", async () => {
    for (const path of ["/api/v1/feeds", `/api/v1/reports/latest?feedID=${btc}`]) {
      for (const [sent, signed, status] of [
        [`/datastreams${path}`, `/datastreams${path}`, 200],
        [`/datastreams${path}`, path, 200],
        [path, path, 200],
        [path, `/datastreams${path}`, 401],
        [`/datastreams${path}`, `${path}&more`, 401],
        [`/datastreams${path}`, path.replace("/api", ""), 401],
      ] as const) {
        const answer = await fetch(`http://127.0.0.1:${venue.port}${sent}`, { headers: headersFor(signed) })
        assert.strictEqual(answer.status, status, `${sent} signed as ${signed}`)
      }
    }
  })

  it("the socket accepts both forms as well", async () => {
    const path = `/api/v1/ws?feedIDs=${btc}`
    assert.strictEqual(await handshake(`/datastreams${path}`, `/datastreams${path}`), 101)
    assert.strictEqual(await handshake(`/datastreams${path}`, path), 101)
    assert.strictEqual(await handshake(`/datastreams${path}`, "/api/v1/ws"), 401)
  })
})

interface Update {
  readonly type: string
  readonly payload: { readonly timestamp: number; readonly value: number; readonly full_accuracy_value: string }
}

describe("rtds crypto topics", () => {
  it("the exchange price is a few basis points off the oracle price", async () => {
    const client = await Client.open(venue.port, "/rtds")
    const subscribe = (topic: string) =>
      client.send({ action: "subscribe", subscriptions: [{ topic, type: "update" }] })
    subscribe("crypto_prices")
    subscribe("crypto_prices_chainlink")
    await client.settled()
    venue.sim.advance(60_000)
    await client.settled()
    const updates = client.texts.map((text): Update & { topic: string; payload: { symbol: string } } =>
      JSON.parse(text),
    )
    const byKey = new Map<string, number>()
    for (const { topic, payload } of updates) {
      byKey.set(`${topic} ${payload.symbol.replace(/usdt|\/usd/, "")} ${payload.timestamp}`, payload.value)
    }
    let compared = 0
    for (const [key, value] of byKey) {
      if (!key.startsWith("crypto_prices_chainlink")) continue
      const other = byKey.get(key.replace("crypto_prices_chainlink", "crypto_prices"))
      assert.isDefined(other, key)
      const off = Math.abs(Number(other) / value - 1)
      assert.isAbove(off, 0.00001, key)
      assert.isBelow(off, 0.0003, key)
      compared += 1
    }
    assert.isAbove(compared, 300)
    await client.end()
  })

  it("the difference is deterministic and changes little within a second", () => {
    const { oracle } = venue.sim.model.world
    const second = Math.floor(venue.sim.now() / 1000)
    for (const [coin] of coins.entries()) {
      const off = (at: number) => {
        const price = oracle.platformPrice(coin, at)
        return price === undefined ? undefined : Number(binancePrice(oracle, coin, at)) / price - 1
      }
      const seen = new Set<number>()
      for (let at = second - 300; at < second; at++) {
        const [one, next] = [off(at), off(at + 1)]
        assert.strictEqual(one, off(at))
        if (one === undefined || next === undefined) continue
        assert.isBelow(Math.abs(next - one), 0.00006)
        seen.add(one)
      }
      assert.isAbove(seen.size, 100)
    }
  })
})
