import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { concatHex, type Hex, keccak256, toRlp } from "viem"
import { ApiServer } from "#http/Server.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()("test/http/Venue") {}

const seed = 71

const stores = Layer.unwrap(
  Effect.map(Venue, ({ url }) =>
    testFoundation(
      { port: "0", host: "127.0.0.1", "upstream.rpc-url": `${url}/rpc`, "event-log.retention": "3650d" },
      [],
      followedHistory(seed),
    ),
  ),
)

const world = Layer.merge(ledger, ApiServer).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(stores),
  Layer.provideMerge(Layer.effect(Venue, runningVenue(seed, { rate: 5 }))),
)

interface NodeLog {
  readonly transactionHash: Hex
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

/** The logs of some contracts in a block, asked like any client would. */
const logsOf = (url: string, block: number, contracts: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<ReadonlyArray<NodeLog>> => {
    const at = `0x${block.toString(16)}`
    const params = [{ fromBlock: at, toBlock: at, address: contracts }]
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params })
    const answer = (await (await fetch(`${url}/rpc`, { method: "POST", body })).json()) as { result: Array<NodeLog> }
    return answer.result
  })

const rootOf = (leaves: ReadonlyArray<Hex>): Hex => {
  const [first, ...others] = leaves
  if (first === undefined) return `0x${"00".repeat(32)}`
  if (others.length === 0) return first
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1)
  return keccak256(concatHex(["0x01", rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half))]))
}

const leafOf = ({ address, topics, data }: NodeLog) => keccak256(concatHex(["0x00", toRlp([address, topics, data])]))

const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, n) => sum + n, 0)

layer(world, { excludeTestServices: true })("Receipts of blocks", (it) => {
  it.effect("prove that the ledger has all facts of a block, and show what is missing", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      simulation.settle()
      simulation.advance(120_000)
      simulation.settle()
      yield* Effect.gen(function* () {
        yield* caughtUp(simulation, yield* startFollower)
      }).pipe(Effect.provide(nodeAt(url)))
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("growth")
      const [busy] = yield* sql<{ block: number }>`
        select block from fill group by block order by count(*) desc, block desc limit 1`
      const block = busy?.block ?? 0

      const finalizedAt = (number: number) =>
        Effect.map(askWith(key, `/v1/blocks/${number}/receipt`), ({ json }) => json.finalized)
      assert.isFalse(yield* finalizedAt(simulation.head))
      assert.isTrue(yield* finalizedAt(simulation.head - 40))

      const one = yield* askWith(key, `/v1/blocks/${block}/receipt`)
      assert.strictEqual(one.status, 200, one.text)
      const logs = yield* logsOf(url, block, one.json.contracts)
      assert.strictEqual(one.json.log_root, rootOf(logs.map(leafOf)))
      assert.deepInclude(one.json, { block, logs: logs.length, complete: true, unexplained: [] })
      assert.deepStrictEqual(one.json.facts, one.json.stored)
      assert.isAbove(one.json.facts.fill, 1)
      assert.isAtLeast(total(one.json.facts) + one.json.covered, one.json.logs)

      // The same block, named by one of its transactions.
      const { json: listed } = yield* askWith(key, `/v3/trades?limit=1&sort_by=timestamp`)
      const candlesAt = (anchor: string) =>
        Effect.map(
          askWith(key, `/v2/onchain/candles?token_id=${listed.trades[0].token_id}&${anchor}`),
          ({ json: { as_of: _, ...candles } }) => candles,
        )
      const byTransaction = yield* candlesAt(`anchor_tx=${logs[0]?.transactionHash}`)
      assert.deepStrictEqual(byTransaction, yield* candlesAt(`anchor_block=${block}`))
      assert.isAbove(byTransaction.window.end_ts, one.json.timestamp - 3600)
      assert.include((yield* candlesAt(`anchor_tx=0x${"0".repeat(64)}`)).hint, "knows no transaction")

      const range = yield* askWith(key, `/v1/blocks/receipts?from=${block - 49}&to=${block}`)
      assert.strictEqual(range.status, 200, range.text)
      const { blocks, ...sums } = range.json
      assert.strictEqual(blocks.length, 50)
      const { contracts: _, ...last } = one.json
      assert.deepStrictEqual(blocks.at(-1), last)
      assert.isTrue(sums.complete)
      const roots: ReadonlyArray<Hex> = blocks.map(({ log_root: root }: { log_root: Hex }) => root)
      assert.strictEqual(sums.log_root, rootOf(roots))
      const [{ n: fills } = { n: 0 }] = yield* sql<{ n: number }>`
        select count(*)::int as n from fill where block between ${block - 49} and ${block}`
      assert.strictEqual(sums.facts.fill, fills)

      yield* sql`delete from fill where block = ${block}
        and log_index = (select min(log_index) from fill where block = ${block})`
      const incomplete = (yield* askWith(key, `/v1/blocks/${block}/receipt`)).json
      assert.isFalse(incomplete.complete)
      assert.strictEqual(incomplete.stored.fill, incomplete.facts.fill - 1)
      const around = (yield* askWith(key, `/v1/blocks/receipts?from=${block - 1}&to=${block}`)).json
      assert.deepStrictEqual(
        around.blocks.map(({ complete }: { complete: boolean }) => complete),
        [true, false],
      )
      assert.isFalse(around.complete)
    }),
  )

  it.effect("are refused with the blocks that exist", () =>
    Effect.gen(function* () {
      const { simulation } = yield* Venue
      const { key } = yield* keyOf("growth")
      const refused = (path: string) =>
        Effect.map(askWith(key, path), ({ status, json }) => [status, json.error] as const)
      const [status, error] = yield* refused(`/v1/blocks/${simulation.head + 10}/receipt`)
      assert.strictEqual(status, 404)
      assert.match(error, new RegExp(`^The ledger has blocks \\d+ to ${simulation.head}\\.$`))
      for (const [path, words] of [
        ["/v1/blocks/-1/receipt", "number"],
        ["/v1/blocks/1e99/receipt", "number"],
        ["/v1/blocks/latest/receipt", "number"],
        ["/v1/blocks/receipts", "from"],
        ["/v1/blocks/receipts?from=5&to=4", "at most 100 blocks"],
        ["/v1/blocks/receipts?from=5&to=105", "at most 100 blocks"],
        ["/v1/blocks/receipts?from=5&to=6&limit=1", "limit"],
      ] as const) {
        const [badStatus, badError] = yield* refused(path)
        assert.strictEqual(badStatus, 400, path)
        assert.include(badError, words, path)
      }
    }),
  )
})
