import { assert, describe, it } from "@effect/vitest"
import { hash as hashOf } from "#src/simulator/random.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { idsOf, kind, type Rows, socketServed, subscription } from "./clobSocketWorld.ts"
import { defined, type Json } from "./clobWorld.ts"

const { sim, venue, tokensOf, connect, booksOf, busy } = socketServed(5)

interface Change {
  readonly asset_id: string
  readonly side: string
  readonly price: string
  readonly size: string
  readonly hash: string
  readonly best_bid: string
  readonly best_ask: string
}

/** Applies socket messages like a client: a snapshot, then replaced levels. */
class Reader {
  readonly sides = new Map<string, Map<string, string>>()

  side(asset: string, side: string): Map<string, string> {
    const key = `${asset} ${side}`
    const known = this.sides.get(key) ?? new Map<string, string>()
    this.sides.set(key, known)
    return known
  }

  read(messages: ReadonlyArray<Json>): void {
    for (const message of messages) {
      if (kind("book")(message)) this.#replace(message)
      if (kind("price_change")(message))
        for (const change of message["price_changes"] as ReadonlyArray<Change>) this.#change(change)
    }
  }

  #replace(message: Json): void {
    for (const [side, rows] of [
      ["BUY", message["bids"]],
      ["SELL", message["asks"]],
    ] as ReadonlyArray<readonly [string, Rows]>) {
      const known = this.side(String(message["asset_id"]), side)
      known.clear()
      for (const { price, size } of rows) known.set(price, size)
    }
  }

  #change({ asset_id, side, price, size }: Change): void {
    if (size === "0") this.side(asset_id, side).delete(price)
    else this.side(asset_id, side).set(price, size)
  }
}

const sorted = (levels: Iterable<readonly [string, string]>) => [...levels].sort(([a], [b]) => Number(a) - Number(b))
const levelsIn = (rows: unknown) => sorted((rows as Rows).map(({ price, size }) => [price, size] as const))

const assertAgree = (reader: Reader, tokens: ReadonlyArray<Token>) => {
  for (const book of booksOf(tokens)) {
    const asset = String(book["asset_id"])
    assert.deepStrictEqual(sorted(reader.side(asset, "BUY")), levelsIn(book["bids"]))
    assert.deepStrictEqual(sorted(reader.side(asset, "SELL")), levelsIn(book["asks"]))
  }
}

describe("market socket", () => {
  /** Without the settings that only HTTP has; one token in ten has no hash. */
  const onSocket = (book: object) => {
    const { min_order_size, neg_risk, hash, ...rest } = book as Readonly<Record<string, unknown>>
    const token = venue.tokens.find(({ id }) => id === rest["asset_id"])
    return { event_type: "book", ...rest, ...(hashOf(defined(token).index, 34) % 10 === 0 ? {} : { hash }) }
  }

  it("a subscription returns one book as an object and several as an array", async () => {
    const client = await connect()
    const [one, ...others] = busy(4)
    client.send(subscription([defined(one)]))
    const [single] = await client.rawFrames()
    const [book] = booksOf([defined(one)])
    assert.deepStrictEqual(single, onSocket(defined(book)))
    client.send({ operation: "subscribe", assets_ids: idsOf(others) })
    const frames = await client.rawFrames()
    assert.deepStrictEqual(frames, [booksOf(others).map(onSocket)])
  })

  it("initial_dump=false suppresses the books, and unknown tokens return nothing", async () => {
    const client = await connect()
    const tokens = busy(3)
    client.send(subscription(tokens, { initial_dump: false }))
    client.send({ type: "market", assets_ids: ["1", "x", "\u0000", "9".repeat(90)] })
    const resolved = defined(venue.markets.find(({ payouts, legs }) => payouts !== undefined && legs === undefined))
    client.send(subscription(tokensOf(resolved)))
    assert.deepStrictEqual(await client.received(), [])
    sim.advance(60_000)
    // Later changes arrive, from trades or from time passing.
    assert.isNotEmpty(await client.received())
  })

  it("invalid frames are ignored", async () => {
    const client = await connect()
    const frames = [
      "",
      "{",
      "null",
      "[]",
      "7",
      '"PING"',
      "\u0000",
      '{"type":"user"}',
      '{"type":"market"}',
      '{"type":7}',
    ]
    for (const frame of frames) client.send(frame)
    for (const assets_ids of [null, "1", 5, {}, [1, null, {}, []]]) client.send({ type: "market", assets_ids })
    client.send({ operation: "destroy", assets_ids: idsOf(busy(1)) })
    client.send({ operation: "unsubscribe", assets_ids: idsOf(busy(1)) })
    assert.deepStrictEqual(await client.received(), [])
    client.send(subscription(busy(1)))
    assert.isNotEmpty(await client.received())
  })
})

describe("a client that applies market socket updates", () => {
  const turns = process.env.PRESAGE_SOAK === "1" ? 80 : 24
  const steps = [1000, 300, 2500, 700, 60_000, 100, 1400]

  it("always has the REST book, even after joining late or resubscribing", async () => {
    sim.setRate(40)
    const tokens = busy(60)
    const [early, late] = [await connect(), await connect()]
    const [earlyReader, lateReader] = [new Reader(), new Reader()]
    early.send(subscription(tokens))
    const seen = { price_change: 0, book: 0, last_trade_price: 0 }
    let lateTokens: ReadonlyArray<Token> = []
    for (let turn = 0; turn < turns; turn++) {
      if (turn % 20 === 10) {
        lateTokens = tokens.filter((_, index) => (index + turn) % 4 !== 0)
        late.send(subscription(lateTokens))
      }
      if (turn % 20 === 19) {
        late.send({ operation: "unsubscribe", assets_ids: idsOf(lateTokens) })
        lateTokens = []
      }
      const messages = await early.received()
      for (const type of Object.keys(seen) as ReadonlyArray<keyof typeof seen>)
        seen[type] += messages.filter(kind(type)).length
      earlyReader.read(messages)
      lateReader.read(await late.received())
      assertAgree(earlyReader, tokens)
      assertAgree(lateReader, lateTokens)
      sim.advance(defined(steps[turn % steps.length]))
    }
    for (const [type, count] of Object.entries(seen)) assert.isAbove(count, 20, type)
  })

  it("gets the best prices with each change", async () => {
    const client = await connect()
    const tokens = busy(30)
    client.send(subscription(tokens))
    await client.received()
    let compared = 0
    for (let turn = 0; turn < 10; turn++) {
      sim.advance(1000)
      const newest = new Map<string, Change>()
      for (const message of await client.received()) {
        if (kind("book")(message)) newest.delete(String(message["asset_id"]))
        if (!kind("price_change")(message)) continue
        const changes = message["price_changes"] as ReadonlyArray<Change>
        // Covers both outcomes, whichever is subscribed to.
        assert.lengthOf([...new Set(changes.map(({ asset_id }) => asset_id))], 2)
        for (const change of changes) newest.set(change.asset_id, change)
      }
      for (const book of booksOf(tokens)) {
        const change = newest.get(String(book["asset_id"]))
        if (change === undefined) continue
        const best = (side: string) => (book[side] as Rows).at(-1)?.price
        assert.match(change.hash, /^[0-9a-f]{40}$/)
        assert.deepStrictEqual([change.best_bid, change.best_ask], [best("bids"), best("asks")])
        compared += 1
      }
    }
    assert.isAbove(compared, 5)
  })
})
