import { assert, describe, it } from "@effect/vitest"
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

/** A reader of the socket as clients write it: a snapshot, then levels that are replaced. */
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

describe("The market socket", () => {
  it("sends the books of what is subscribed to: one as an object, several as an array", async () => {
    const client = await connect()
    const [one, ...others] = busy(4)
    client.say(subscription([defined(one)]))
    const [single] = await client.rawFrames()
    const [book] = booksOf([defined(one)])
    assert.deepStrictEqual(single, { event_type: "book", ...book })
    client.say({ operation: "subscribe", assets_ids: idsOf(others) })
    const frames = await client.rawFrames()
    assert.deepStrictEqual(frames, [booksOf(others).map((each) => ({ event_type: "book", ...each }))])
  })

  it("sends none of them when told not to, and nothing for what it does not know", async () => {
    const client = await connect()
    const tokens = busy(3)
    client.say(subscription(tokens, { initial_dump: false }))
    client.say({ type: "market", assets_ids: ["1", "x", "\u0000", "9".repeat(90)] })
    const resolved = defined(venue.markets.find(({ payouts, legs }) => payouts !== undefined && legs === undefined))
    client.say(subscription(tokensOf(resolved)))
    assert.deepStrictEqual(await client.heard(), [])
    sim.advance(60_000)
    // From then on it is told what changes, by trades or by themselves.
    assert.isNotEmpty(await client.heard())
  })

  it("survives frames that make no sense", async () => {
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
    for (const frame of frames) client.say(frame)
    for (const assets_ids of [null, "1", 5, {}, [1, null, {}, []]]) client.say({ type: "market", assets_ids })
    client.say({ operation: "destroy", assets_ids: idsOf(busy(1)) })
    client.say({ operation: "unsubscribe", assets_ids: idsOf(busy(1)) })
    assert.deepStrictEqual(await client.heard(), [])
    client.say(subscription(busy(1)))
    assert.isNotEmpty(await client.heard())
  })
})

describe("Whoever applies what the market socket tells", () => {
  const turns = 80
  const steps = [1000, 300, 2500, 700, 60_000, 100, 1400]

  it("has the book of the REST service at every moment, also who comes later or returns", async () => {
    sim.setRate(40)
    const tokens = busy(60)
    const [early, late] = [await connect(), await connect()]
    const [earlyReader, lateReader] = [new Reader(), new Reader()]
    early.say(subscription(tokens))
    const seen = { price_change: 0, book: 0, last_trade_price: 0 }
    let lateTokens: ReadonlyArray<Token> = []
    for (let turn = 0; turn < turns; turn++) {
      if (turn % 20 === 10) {
        lateTokens = tokens.filter((_, place) => (place + turn) % 4 !== 0)
        late.say(subscription(lateTokens))
      }
      if (turn % 20 === 19) {
        late.say({ operation: "unsubscribe", assets_ids: idsOf(lateTokens) })
        lateTokens = []
      }
      const messages = await early.heard()
      for (const type of Object.keys(seen) as ReadonlyArray<keyof typeof seen>)
        seen[type] += messages.filter(kind(type)).length
      earlyReader.read(messages)
      lateReader.read(await late.heard())
      assertAgree(earlyReader, tokens)
      assertAgree(lateReader, lateTokens)
      sim.advance(defined(steps[turn % steps.length]))
    }
    for (const [type, count] of Object.entries(seen)) assert.isAbove(count, 20, type)
  })

  it("knows from each change the best prices", async () => {
    const client = await connect()
    const tokens = busy(30)
    client.say(subscription(tokens))
    await client.heard()
    let compared = 0
    for (let turn = 0; turn < 10; turn++) {
      sim.advance(1000)
      const newest = new Map<string, Change>()
      for (const message of await client.heard()) {
        if (kind("book")(message)) newest.delete(String(message["asset_id"]))
        if (!kind("price_change")(message)) continue
        const changes = message["price_changes"] as ReadonlyArray<Change>
        // Both outcomes, whichever is followed.
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
