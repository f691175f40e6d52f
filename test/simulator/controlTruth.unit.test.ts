import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { topic } from "#src/simulator/chain/contracts.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { frozenVenue, send, type Venue } from "./frozenVenue.ts"

let venue: Venue
beforeAll(async () => {
  venue = await frozenVenue("tiny")
  venue.sim.settle()
})
afterAll(() => venue.stop())

interface Position {
  readonly token_id: string
  readonly shares: number
  readonly realized: number
  readonly events: ReadonlyArray<{ readonly amount: number; readonly block: number }>
}
interface Wallet {
  readonly address: string
  readonly fills: number
  readonly bought_usd: number
  readonly sold_usd: number
  readonly volume: number
  readonly cash: number
  readonly fees_paid: number
  readonly rebates: number
  readonly rewards: number
  readonly realized: number
  readonly shares: number
  readonly position_count: number
  readonly positions: ReadonlyArray<Position>
}
interface Fill {
  readonly block: number
  readonly transaction_hash: string
  readonly side: string
  readonly usd: number
  readonly fee: number
  readonly fee_in: string
  readonly role: string
}
interface Fee {
  readonly block: number
  readonly transaction_hash: string
  readonly order_hash: string
  readonly receiver: string
  readonly fee_in: string
  readonly amount: number
}

const truth = async (path: string) => {
  const { status, body } = await venue.control("GET", `/truth/${path}`)
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body
}
const sum = <A>(list: ReadonlyArray<A>, of: (item: A) => number) => list.reduce((total, item) => total + of(item), 0)
const rpc = async (method: string, params: ReadonlyArray<unknown>) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  return JSON.parse((await send(venue.port, "/rpc", { method: "POST", body })).body).result
}
const hex = (value: number) => `0x${value.toString(16)}`

describe("/truth/wallets", () => {
  it("sums up correctly over all pages", async () => {
    const { facts } = venue.sim.model.world
    const all: Array<Wallet> = []
    for (let offset = 0; ; offset += 70) {
      const page = await truth(`wallets?limit=70&offset=${offset}&positions=true&events=true`)
      assert.isTrue(page.settled)
      assert.strictEqual(page.total, 200)
      all.push(...page.wallets)
      if (page.wallets.length < 70) break
    }
    assert.lengthOf(new Set(all.map(({ address }) => address)), 200)
    assert.strictEqual(
      sum(all, ({ fills }) => fills),
      facts.fills,
    )
    const counts = await truth("counts")
    // Every match counts for its makers and its taker; mints and merges make up the difference.
    assert.isAbove(
      sum(all, ({ volume }) => volume),
      counts.volume,
    )
    for (const { positions, ...wallet } of all) {
      assert.strictEqual(wallet.volume, wallet.bought_usd + wallet.sold_usd)
      assert.strictEqual(
        wallet.realized,
        sum(positions, ({ realized }) => realized),
      )
      assert.strictEqual(
        wallet.shares,
        sum(positions, ({ shares }) => shares),
      )
      assert.lengthOf(positions, wallet.position_count)
      for (const { realized, events } of positions) {
        assert.strictEqual(
          realized,
          sum(events, ({ amount }) => amount),
        )
        assert.isTrue(events.every(({ block }, i) => i === 0 || block >= (events[i - 1]?.block ?? 0)))
      }
    }
  })

  it("reports rebates and rewards equal to their transactions", async () => {
    const { facts } = venue.sim.model.world
    const paid = new Map<string, number>()
    for (let tx = 0; tx < facts.length; tx++) {
      const key = `${facts.kind.get(tx)} ${facts.wallet.get(tx)}`
      paid.set(key, (paid.get(key) ?? 0) + facts.amount.get(tx))
    }
    const wallets: ReadonlyArray<Wallet> = (await truth("wallets?limit=200")).wallets
    for (const [index, { rebates, rewards }] of wallets.entries()) {
      const txs = [TxKind.rebate, TxKind.reward].map((kind) => paid.get(`${kind} ${index}`) ?? 0)
      assert.deepStrictEqual([rebates, rewards], txs)
    }
    assert.isAbove(
      Math.min(
        sum(wallets, ({ rebates }) => rebates),
        sum(wallets, ({ rewards }) => rewards),
      ),
      0,
    )
  })

  it("lists a wallet's fills by block range, equal to the chain", async () => {
    const [wallet] = (await truth("wallets?limit=1")).wallets as ReadonlyArray<Wallet>
    assert.isDefined(wallet)
    const { address, ...summary } = wallet as Wallet
    assert.deepInclude(await truth(`wallets/${address.toUpperCase().replace("0X", "0x")}`), summary)
    const whole = await truth(`wallets/${address}/fills?limit=10000`)
    const fills: ReadonlyArray<Fill> = whole.fills
    assert.lengthOf(fills, summary.fills)
    const usd = (side: string) =>
      sum(
        fills.filter((fill) => fill.side === side),
        (fill) => fill.usd,
      )
    assert.deepStrictEqual([usd("buy"), usd("sell")], [summary.bought_usd, summary.sold_usd])
    const middle = fills[Math.floor(fills.length / 2)]?.block ?? 0
    const older = await truth(`wallets/${address}/fills?to_block=${middle - 1}&limit=10000`)
    const newer = await truth(`wallets/${address}/fills?from_block=${middle}&limit=10000`)
    assert.deepStrictEqual([...newer.fills, ...older.fills], fills)
    assert.strictEqual(newer.total + older.total, fills.length)
    assert.deepStrictEqual((await truth(`wallets/${address}/fills?limit=3&offset=2`)).fills, fills.slice(2, 5))
    for (const { transaction_hash, block } of fills.slice(0, 5)) {
      const receipt = await rpc("eth_getTransactionReceipt", [transaction_hash])
      assert.strictEqual(Number(receipt.blockNumber), block)
      assert.include(JSON.stringify(receipt.logs), address.slice(2))
    }
  })
})

describe("/truth of markets and blocks", () => {
  it("counts a block range equal to the chain", async () => {
    const { head } = venue.sim
    const from = head - 2_000
    const part = await truth(`counts?from_block=${from}&to_block=${head}&logs=true`)
    const logs = await rpc("eth_getLogs", [{ fromBlock: hex(from), toBlock: hex(head) }])
    assert.isAbove(part.transactions, 0)
    assert.strictEqual(part.logs, logs.length)
    const whole = await truth("counts")
    const before = await truth(`counts?to_block=${from - 1}`)
    assert.strictEqual(whole.transactions, venue.sim.model.world.facts.length)
    for (const name of ["transactions", "fills", "volume"]) {
      assert.strictEqual(before[name] + part[name], whole[name], name)
    }
    for (const [kind, count] of Object.entries<number>(whole.by_kind)) {
      assert.strictEqual(before.by_kind[kind] + part.by_kind[kind], count, kind)
    }
    assert.strictEqual(
      sum(Object.values<number>(whole.by_kind), (count) => count),
      whole.transactions,
    )
    assert.isAtMost(part.traders, part.wallets)
  })

  it("lists fees equal to the chain and to what wallets paid", async () => {
    const whole = await truth("fees?limit=10000")
    const fees: ReadonlyArray<Fee> = whole.fees
    const { facts } = venue.sim.model.world
    let charged = 0
    for (let fill = 0; fill < facts.fills; fill++) charged += facts.fee.get(fill)
    assert.strictEqual(
      sum(fees, ({ amount }) => amount),
      charged,
    )
    assert.deepStrictEqual(new Set(fees.map(({ fee_in }) => fee_in)), new Set(["shares", "usd"]))
    const middle = fees[Math.floor(fees.length / 2)]?.block ?? 0
    const [older, newer] = [await truth(`fees?to_block=${middle - 1}`), await truth(`fees?from_block=${middle}`)]
    assert.strictEqual(older.total + newer.total, fees.length)
    assert.deepStrictEqual((await truth("fees?limit=3&offset=2")).fees, fees.slice(2, 5))
    for (const { transaction_hash, receiver, order_hash, block } of [...fees.slice(0, 3), ...fees.slice(-3)]) {
      const receipt = await rpc("eth_getTransactionReceipt", [transaction_hash])
      assert.strictEqual(Number(receipt.blockNumber), block)
      const all: ReadonlyArray<{ readonly address: string; readonly topics: ReadonlyArray<string> }> = receipt.logs
      // Of the exchange's own logs, the fee comes just before the order; transfers may come between them.
      const exchange = all.find(({ topics }) => topics[1] === order_hash)?.address
      const logs = all.filter(({ address }) => address === exchange)
      const [charge, order] = [`${topic.feeCharged1} ${topic.feeCharged2}`, order_hash].map((candidates, i) =>
        logs.findIndex(({ topics }) => candidates.includes(topics[i] ?? "none")),
      )
      assert.strictEqual(logs[charge ?? -1]?.topics[1], `0x${receiver.slice(2).padStart(64, "0")}`)
      assert.strictEqual(order, (charge ?? 0) + 1)
    }
  })

  it("returns conditions by id and by event, with their resolution", async () => {
    const counts = await truth("counts")
    const resolutions = await truth("resolutions?limit=3")
    const resolved = venue.sim.model.world.venue.markets.filter((market) => market.payouts !== undefined)
    assert.strictEqual(resolutions.total, resolved.length)
    // Combos are resolved by reports of their legs.
    assert.strictEqual(resolved.filter(({ isCombo }) => !isCombo).length, counts.by_kind.resolve)
    assert.lengthOf(resolutions.resolutions, 3)
    for (const { condition_id, slug, payouts, resolved_at } of resolutions.resolutions) {
      const condition = await truth(`conditions/${condition_id}`)
      assert.deepInclude(condition, { condition_id, slug, payouts, resolved_at, closed: true, settled: true })
    }
    let volume = 0
    for (let offset = 0, total = 1; offset < total; offset += 10_000) {
      const page = await truth(`conditions?limit=10000&offset=${offset}`)
      volume += sum(page.conditions as ReadonlyArray<{ volume: number }>, (each) => each.volume)
      total = page.total
    }
    assert.strictEqual(volume, counts.volume)
    const event = venue.sim.model.world.venue.events[0]
    const [market] = await truth(`markets/${event?.plan.slug}`)
    const { head, settled, ...same } = await truth(`conditions/${market.condition_id}`)
    assert.deepStrictEqual([same, head, settled], [market, venue.sim.head, true])
  })

  it("lists the holders of a token", async () => {
    const { wallets } = await truth("wallets?limit=1&positions=true")
    const [wallet] = wallets as ReadonlyArray<Wallet>
    const held = wallet?.positions.find(({ shares }) => shares > 0)
    const token = await truth(`tokens/${held?.token_id}`)
    const own = token.holders.find(({ address }: Wallet) => address === wallet?.address)
    assert.strictEqual(own.shares, held?.shares)
    assert.isTrue(token.holders.every(({ shares }: Position) => shares > 0))
  })

  it("lists every tick of a feed and the missing seconds", async () => {
    const to = Math.floor(venue.sim.now() / 1000)
    for (const source of ["datastreams", "rtds"]) {
      const ticks = await truth(`ticks?feed=ETH&source=${source}&from=${to - 1_999}&to=${to + 1_000}`)
      assert.strictEqual(ticks.to, to)
      assert.strictEqual(ticks.emitted + ticks.missing.length, 2_000)
      assert.isAbove(ticks.missing.length, 0)
      const seconds = [...ticks.ticks.map(({ second }: { second: number }) => second), ...ticks.missing]
      assert.lengthOf(new Set(seconds), 2_000)
      assert.strictEqual("bid" in ticks.ticks[0], source === "datastreams")
    }
    const byId = await truth(
      "ticks?feed=0x000362205E10B3A147D02792ECCEE483DCA6C7B44ECCE7012CB8C6E0B68B3AE9&from=1794700000&to=1794700001",
    )
    assert.strictEqual(byId.symbol, "ETH")
  })
})
