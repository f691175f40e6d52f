import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { decodeEventLog, type Hex } from "viem"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { exchangeAsTaker, Side } from "#src/simulator/world/Facts.ts"
import { type ChainLog, ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { address, exchanges } from "#src/upstream/chain/contracts.ts"
import { decodeLog, readableAddresses, readableTopics } from "#src/upstream/chain/decode.ts"
import type { OrderFilled } from "#src/upstream/chain/events.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { metric } from "#test/ws/support/gateway.ts"
import { cases } from "./chain/allCases.ts"
import type { EventCase } from "./chain/EventCase.ts"
import { abiOf, argsOf } from "./chain/encoded.ts"
import { type Answer, busyRange, logsOf, nodeAt, nodeBefore } from "./chain/nodes.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

interface WireLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

const wireLogs = (url: string, from: number, to: number) =>
  Effect.promise(async (): Promise<ReadonlyArray<WireLog>> => {
    const hex = (value: number) => `0x${value.toString(16)}`
    const filter = { fromBlock: hex(from), toBlock: hex(to), address: readableAddresses, topics: [readableTopics] }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] })
    // The venue is in this process: after a long computation it closes connections before they are used again.
    const answer = await fetch(`${url}/rpc`, { method: "POST", body, headers: { connection: "close" } })
    return ((await answer.json()) as { readonly result: ReadonlyArray<WireLog> }).result
  })

const byTopic = new Map<string, EventCase>(
  Object.entries(cases).map(([name, each]) => [topic[name as keyof typeof topic], each]),
)

/** Decodes a log by its contract's declaration. */
const readByAbi = ({ address, topics, data }: WireLog) => {
  const each = byTopic.get(topics[0] ?? "")
  if (each === undefined) throw new Error(`no event ${topics[0]}`)
  const { args } = decodeEventLog({ abi: [abiOf(each)], topics: topics as [Hex, ...Array<Hex>], data: data as Hex })
  return each.expected(argsOf(args as Readonly<Record<string, unknown>>), address.slice(2))
}

/** All logs of a range, in parts as small as the node requires. */
const allLogs = (from: number, to: number): Effect.Effect<ReadonlyArray<ChainLog>, unknown, ChainNode> =>
  logsOf({ from, to }).pipe(
    Effect.map(({ logs, undecodable }) => {
      assert.isEmpty(undecodable)
      return logs
    }),
    Effect.catchTag("RangeTooLarge", () => {
      const middle = Math.floor((from + to) / 2)
      return Effect.map(Effect.all([allLogs(from, middle), allLogs(middle + 1, to)]), (halves) => halves.flat())
    }),
  )

layer(venueShared(32, isSoak ? { scale: "tiny" } : {}), { excludeTestServices: true })(
  "Logs of the venue's contracts",
  (it) => {
    it.effect("are decoded according to their declarations", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* sharedVenue
        simulation.freeze()
        const kinds = new Set<string>()
        const span = simulation.head - firstBlock
        for (const part of [0, 0.3, 0.5, 0.7, 0.9, 1]) {
          const from = firstBlock + Math.floor((span - 1_500) * part)
          const logs = yield* wireLogs(url, from, from + 1_500)
          for (const log of logs) {
            const decoded = decodeLog(log.address, log)
            assert.deepStrictEqual<unknown>(decoded, readByAbi(log))
            kinds.add(decoded._tag)
          }
        }
        assert.isAtLeast(kinds.size, 25, [...kinds].join())
      }),
    )

    it.effect("contain every fill of history once, in order, with its position and time", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* sharedVenue
        simulation.settle()
        const { world, wallets, builders } = simulation.model
        const { facts, venue, clock } = world
        const logs = yield* allLogs(firstBlock, simulation.head).pipe(Effect.provide(nodeAt(url)))
        const fills = logs.filter((log): log is ChainLog & { event: OrderFilled } => log.event._tag === "OrderFilled")
        assert.isAbove(facts.fills, isSoak ? 4_000 : 1_000)
        assert.strictEqual(fills.length, facts.fills)
        let before = { block: 0, logIndex: 0 }
        fills.forEach(({ event, tx, block, blockHash, at, logIndex }, fill) => {
          const act = facts.txOf(fill)
          const isBuy = facts.side.get(fill) === Side.buy
          const isFirst = event.generation === 1
          assert.deepStrictEqual(
            { ...event, taker: exchanges.has(event.taker) ? "exchange" : event.taker },
            {
              _tag: "OrderFilled",
              exchange: simulation.logs.exchangeOf(act).address.slice(2),
              generation: simulation.logs.exchangeOf(act).generation,
              orderHash: simulation.logs.orderHash(fill).slice(2),
              maker: wallets[facts.maker.get(fill)]?.address.slice(2) ?? "",
              side: isBuy ? "buy" : "sell",
              token: venue.tokens[facts.fillToken.get(fill)]?.hex ?? "",
              shares: facts.shares.get(fill),
              usd: facts.usd.get(fill),
              taker:
                facts.taker.get(fill) === exchangeAsTaker
                  ? "exchange"
                  : (wallets[facts.taker.get(fill)]?.address.slice(2) ?? ""),
              fee: facts.fee.get(fill),
              feeIn: isFirst && isBuy ? "shares" : "collateral",
              builder: isFirst ? undefined : builders[facts.builder.get(fill) - 1]?.code.slice(2),
            },
          )
          assert.strictEqual(block, facts.block.get(act) + firstBlock)
          assert.strictEqual(`0x${blockHash}`, simulation.chain.hashOf(block))
          assert.strictEqual(`0x${tx}`, simulation.chain.transactionHash(act))
          assert.strictEqual(at, clock.timestampOf(block) * 1000)
          assert.isTrue(block > before.block || (block === before.block && logIndex > before.logIndex))
          before = { block, logIndex }
        })
      }),
    )
  },
)

type Row = Record<string, unknown>

interface Reply {
  readonly result?: unknown
}

const isRows = (result: unknown): result is Array<Row> =>
  Array.isArray(result) && result.every((row) => typeof row === "object" && row !== null && "logIndex" in row)

/** Changes only the rows of `eth_getLogs`. */
const rows =
  (change: (rows: Array<Row>) => Array<unknown>) =>
  ({ status, body }: Answer): Answer => {
    const replies: Reply | ReadonlyArray<Reply> = JSON.parse(body)
    const changed = (reply: Reply) =>
      isRows(reply.result) && reply.result.length > 0 ? { ...reply, result: change(reply.result) } : reply
    return { status, body: JSON.stringify(Array.isArray(replies) ? replies.map(changed) : changed(replies as Reply)) }
  }

const isSpoilt = (logIndex: number) => logIndex % 10 === 3

layer(venueShared(33), { excludeTestServices: true })("Logs of nodes that differ", (it) => {
  it.effect(
    "are the same without times, in capitals, in another order, repeated, and with removed ones among them",
    () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* sharedVenue
        const range = busyRange(simulation)
        const usual = yield* logsOf(range).pipe(Effect.provide(nodeAt(url)))
        assert.isAbove(usual.logs.length, 100)
        const withoutTimes = rows((all) =>
          all.map(({ blockTimestamp: _, ...row }, i) => (i % 2 === 0 ? row : { ...row, blockTimestamp: "0x0" })),
        )
        const reversedBatch = (answer: Answer): Answer => {
          const body: unknown = JSON.parse(answer.body)
          return withoutTimes(Array.isArray(body) ? { ...answer, body: JSON.stringify(body.reverse()) } : answer)
        }
        const changes: Readonly<Record<string, (answer: Answer) => Answer>> = {
          "without times": withoutTimes,
          "without times, batches answered backwards": reversedBatch,
          capitals: ({ status, body }) => ({
            status,
            body: body.replace(/"0x([0-9a-f]+)"/g, (_, digits: string) => `"0x${digits.toUpperCase()}"`),
          }),
          backwards: rows((all) => all.reverse()),
          "some repeated": rows((all) => [...all, ...all.slice(10, 30)]),
          removed: rows((all) => all.flatMap((row) => [{ ...row, removed: true, data: "0x" }, row])),
          "without the mark": rows((all) => all.map(({ removed: _, ...row }) => row)),
        }
        for (const [name, change] of Object.entries(changes)) {
          const node = yield* nodeBefore(url, change)
          const read = yield* logsOf(range).pipe(Effect.provide(node))
          assert.deepStrictEqual(read, usual, name)
        }
      }),
  )

  it.effect("are reported with their position if they cannot be decoded, and the others are complete", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const usual = yield* logsOf(range).pipe(Effect.provide(nodeAt(url)))
      const node = yield* nodeBefore(
        url,
        rows((all) =>
          all.map((row) => (isSpoilt(Number(row["logIndex"])) ? { ...row, data: `${String(row["data"])}00` } : row)),
        ),
      )
      const { logs, undecodable } = yield* logsOf(range).pipe(Effect.provide(node))
      assert.isAbove(undecodable.length, 5)
      assert.deepStrictEqual(
        logs,
        usual.logs.filter(({ logIndex }) => !isSpoilt(logIndex)),
      )
      const lost = usual.logs.filter(({ logIndex }) => isSpoilt(logIndex))
      assert.deepStrictEqual(
        undecodable.map(({ tx, logIndex, reason }) => ({ tx, logIndex, reason })),
        lost.map(({ tx, logIndex }) => ({ tx, logIndex, reason: "too much data" })),
      )
    }),
  )

  it.effect("are counted by topic if nobody knows their kind", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const { to } = busyRange(simulation)
      const unknown = `0x${"5e".repeat(32)}`
      const blockLogs = ChainNode.use((node) =>
        Effect.flatMap(node.header(to), (header) => node.blockLogs(header === undefined ? [] : [header])),
      )
      const usual = yield* blockLogs.pipe(Effect.provide(nodeAt(url)))
      const foreign = `0x${"ab".repeat(20)}`
      const node = yield* nodeBefore(
        url,
        rows((all) => {
          const first = all[0] ?? {}
          const another = { ...first, address: `0x${address.ctf}`, topics: [unknown], logIndex: "0xffff" }
          return [...all, another, { ...another, address: foreign, logIndex: "0xfffe" }]
        }),
      )
      const counted = metric("presage_ledger_unexplained_logs_total", { topic: unknown })
      const before = yield* counted
      const read = yield* blockLogs.pipe(Effect.provide(node))
      assert.deepStrictEqual(read?.logs, usual?.logs)
      assert.deepStrictEqual(
        read?.undecodable.map(({ topic: first, logIndex, reason }) => ({ first, logIndex, reason })),
        [{ first: unknown, logIndex: 0xffff, reason: "unknown event" }],
      )
      assert.strictEqual((yield* counted) - before, 1)
    }),
  )

  it.effect("are rejected when an answer is malformed or the chain changes during the read", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const spoilt = (field: string, value: unknown) =>
        rows((all) => all.map((row, i) => (i === all.length - 1 ? { ...row, [field]: value } : row)))
      const changes: ReadonlyArray<readonly [string, (answer: Answer) => Answer]> = [
        ["number", spoilt("blockNumber", 5)],
        ["outside the range", spoilt("blockNumber", "0x5")],
        ["hash", spoilt("transactionHash", "0x12")],
        ["hash", spoilt("blockHash", null)],
        ["number", spoilt("logIndex", "7")],
        ["topics", spoilt("topics", { 0: "0x" })],
        ["text", spoilt("data", 12)],
        ["removed", spoilt("removed", "false")],
        ["not a list", rows((all) => [...all, null])],
        ["neither", ({ status }) => ({ status, body: "{}" })],
        [
          "replaced",
          rows((all) => all.map(({ blockTimestamp: _, ...row }) => ({ ...row, blockHash: `0x${"1".repeat(64)}` }))),
        ],
      ]
      for (const [detail, change] of changes) {
        let requests = 0
        const counted = (answer: Answer, question: string) => {
          if (question.includes("eth_getLogs")) requests += 1
          return change(answer)
        }
        const node = yield* nodeBefore(url, counted, { "upstream.rpc.attempts": "2" })
        const failure = yield* logsOf(range).pipe(
          Effect.provide(node),
          Effect.flip,
          Effect.mapError(() => new Error(`accepted in spite of: ${detail}`)),
        )
        assert(failure._tag === "UpstreamFailure", failure.message)
        assert.strictEqual(failure.reason, "malformed")
        assert.include(failure.detail, detail)
        assert.strictEqual(requests, 2, "a malformed answer is requested again")
      }
    }),
  )
})
