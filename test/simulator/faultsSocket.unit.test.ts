import { createHash, createHmac } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { WebSocket } from "ws"
import { simulatorCredentials } from "#src/simulator/start.ts"
import { coins } from "#src/simulator/world/oracle.ts"
import { Client, frozenVenue, type Venue } from "./frozenVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue("tiny")
})
afterAll(() => venue.stop())

const numberOf = (head: string) => Number(JSON.parse(head).params.result.number)

/** A connection that is subscribed to new heads. */
const watching = async () => {
  const client = await Client.open(venue.port, "/rpc")
  client.send({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] })
  await client.take(1)
  return client
}

/** Advances by some blocks and returns their numbers. */
const blocks = (count: number) => {
  const before = venue.sim.head
  while (venue.sim.head < before + count) venue.sim.advance(100)
  return Array.from({ length: count }, (_, i) => before + 1 + i)
}

/** The next blocks arrive once and in order. */
const assertHealthy = async (client: Client) => {
  const produced = blocks(3)
  assert.deepStrictEqual((await client.take(3)).map(numberOf), produced)
  await client.settled()
  assert.isEmpty(client.texts)
}

const during = async (fault: object, check: (client: Client) => Promise<unknown>) => {
  const client = await watching()
  await assertHealthy(client)
  await venue.during({ upstream: "rpc", channel: "socket", ...fault }, () => check(client))
  return client
}

/** The same; the connection must survive the fault. */
const survivesFault = async (fault: object, check: (client: Client) => Promise<unknown>) => {
  const client = await during(fault, check)
  await assertHealthy(client)
  await client.end()
}

const refusal = (path = "/rpc") =>
  Client.open(venue.port, path).then(
    () => "opened",
    (error: Error) => error.message,
  )

describe("Socket faults", () => {
  it("silent: keeps the connection open and answers pings, but sends no messages", () =>
    survivesFault({ kind: "silent" }, async (client) => {
      blocks(3)
      client.send({ jsonrpc: "2.0", id: 2, method: "eth_chainId", params: [] })
      await client.settled()
      assert.isEmpty(client.texts)
    }))

  it("disconnect: drops the connection at a message, without a closing frame", async () => {
    await during({ kind: "disconnect", share: 0.5 }, async (client) => {
      blocks(12)
      assert.strictEqual(await client.closed, 1006)
      assert.isBelow(client.texts.length, 12)
    })
    await assertHealthy(await watching())
  })

  it("refuse: responds 503 to the handshake", async () => {
    await venue.during({ upstream: "rpc", channel: "socket", kind: "refuse" }, async () => {
      assert.strictEqual(await refusal(), "refused with 503")
      assert.strictEqual(await refusal("/rtds"), "opened")
    })
    assert.strictEqual(await refusal(), "opened")
  })

  it("down: breaks handshakes and open connections", async () => {
    await during({ kind: "down" }, async (client) => {
      assert.strictEqual(await refusal(), "socket hang up")
      blocks(1)
      assert.strictEqual(await client.closed, 1006)
    })
    assert.strictEqual(await refusal(), "opened")
  })

  it("duplicate: sends messages twice", () =>
    survivesFault({ kind: "duplicate" }, async (client) => {
      const produced = blocks(2)
      assert.deepStrictEqual(
        (await client.take(4)).map(numberOf),
        produced.flatMap((block) => [block, block]),
      )
    }))

  it("reorder: sends a message after its successor, or after a delay if there is none", () =>
    survivesFault({ kind: "reorder", delay_ms: 200 }, async (client) => {
      const [a, b, c] = blocks(3)
      assert.deepStrictEqual((await client.take(2)).map(numberOf), [b, a])
      assert.deepStrictEqual((await client.take(1)).map(numberOf), [c])
    }))

  it("truncated: cuts messages off", () =>
    survivesFault({ kind: "truncated" }, async (client) => {
      blocks(3)
      for (const text of await client.take(3)) {
        assert.throws(() => JSON.parse(text))
        assert.isTrue('{"jsonrpc":"2.0","method":"eth_subscription"'.startsWith(text.slice(0, 44)))
      }
    }))

  it("garbage: sends messages that are not JSON", () =>
    survivesFault({ kind: "garbage" }, async (client) => {
      blocks(2)
      for (const text of await client.take(2)) assert.throws(() => JSON.parse(text))
    }))

  it("slow: delays messages and everything behind them, in order", () =>
    survivesFault({ kind: "slow", share: 0.5, delay_ms: 800 }, async (client) => {
      const produced = blocks(12)
      await client.settled()
      assert.isBelow(client.texts.length, 12)
      assert.deepStrictEqual((await client.take(12)).map(numberOf), produced)
    }))

  it("wrong_types: changes the type of some values", () =>
    survivesFault({ kind: "wrong_types" }, async (client) => {
      blocks(1)
      const [text = ""] = await client.take(1)
      const { params, method, jsonrpc } = JSON.parse(text)
      const values = [method, jsonrpc, params?.subscription, ...Object.values(params?.result ?? {})]
      assert.isTrue(values.some((value) => typeof value !== "string"))
    }))

  it("affect every upstream with sockets", () =>
    venue.during({ upstream: "*", channel: "socket", kind: "refuse", status: 429 }, async () => {
      for (const path of ["/rpc", "/rtds", "/datastreams/api/v1/ws", "/clob/ws/market", "/sports/ws"]) {
        assert.strictEqual(await refusal(path), "refused with 429", path)
      }
    }))

  it("hit a share of the connections", async () => {
    await venue.during({ upstream: "rtds", channel: "socket", kind: "refuse", share: 0.5 }, async () => {
      const results = await Promise.all(Array.from({ length: 30 }, () => refusal("/rtds")))
      const refused = results.filter((result) => result === "refused with 503").length
      assert.isAbove(refused, 5)
      assert.isBelow(refused, 25)
    })
  })
})

describe("Socket fault: clock_skew", () => {
  const skew = { channel: "socket", kind: "clock_skew", skew_ms: 3_600_000 }

  it("shifts the chain's block headers", () =>
    survivesFault({ upstream: "rpc", ...skew }, async (client) => {
      const [block = 0] = blocks(1)
      const [text = ""] = await client.take(1)
      const { timestamp } = JSON.parse(text).params.result
      assert.strictEqual(Number(timestamp), venue.sim.model.world.clock.timestampOf(block) + 3_600)
    }))

  it("shifts the platform's prices", async () => {
    const client = await Client.open(venue.port, "/rtds")
    client.send({
      action: "subscribe",
      subscriptions: [{ topic: "crypto_prices_chainlink", type: "*", filters: '{"symbol":"btc/usd"}' }],
    })
    await client.take(1)
    await venue.during({ upstream: "rtds", ...skew }, async () => {
      const now = venue.sim.now()
      venue.sim.advance(3_000)
      const [text = ""] = await client.take(1)
      const { timestamp, payload } = JSON.parse(text)
      assert.strictEqual(timestamp, venue.sim.now() + 3_600_000)
      assert.isAtMost(payload.timestamp, venue.sim.now() + 3_600_000)
      assert.isAbove(payload.timestamp, now + 3_600_000 - 1_000)
    })
    await client.end()
  })

  it("shifts the data streams, including the signed report", async () => {
    const feed = coins[0]?.feedId ?? ""
    const target = `/datastreams/api/v1/ws?feedIDs=${feed}`
    const { clientId, secret } = simulatorCredentials
    const at = Date.now()
    const nothing = createHash("sha256").update("").digest("hex")
    const socket = new WebSocket(`ws://127.0.0.1:${venue.port}${target}`, {
      headers: {
        authorization: clientId,
        "x-authorization-timestamp": String(at),
        "x-authorization-signature-sha256": createHmac("sha256", secret)
          .update(`GET ${target} ${nothing} ${clientId} ${at}`)
          .digest("hex"),
      },
    })
    const texts: Array<string> = []
    const first = new Promise<void>((resolve) =>
      socket.on("message", (data) => {
        texts.push(String(data))
        resolve()
      }),
    )
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject))
    await venue.during({ upstream: "datastreams", ...skew }, async () => {
      venue.sim.advance(3_000)
      await first
      const { report } = JSON.parse(texts[0] ?? "")
      const seconds = report.observationsTimestamp - 3_600
      assert.isDefined(venue.sim.model.world.oracle.tick(0, seconds))
      const word = (i: number) => Number.parseInt(report.fullReport.slice(2 + i * 64, 66 + i * 64), 16)
      assert.deepStrictEqual([word(9), word(10)], [seconds + 3_600, seconds + 3_600])
      assert.strictEqual(report.fullReport.slice(2 + 8 * 64, 66 + 8 * 64), feed.slice(2))
    })
    socket.close()
  })
})
