import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { sharedVenue, venueShared } from "#test/support/sharedVenue.ts"
import { type Answer, busyRange, logsOf, nodeAt, nodeBefore } from "./chain/nodes.ts"

type Asked =
  | { readonly id: number; readonly method: string }
  | ReadonlyArray<{ readonly id: number; readonly method: string }>

const callsIn = (asked: string) => {
  const parsed = JSON.parse(asked) as Asked
  return "method" in parsed ? [parsed] : parsed
}

const isBatch = (asked: string) => asked.startsWith("[")

const error = (code: number, message: string, more: object = {}) => ({
  jsonrpc: "2.0",
  error: { code, message, ...more },
})

const refusal = (code: number, message: string, status = 200): Answer => ({
  status,
  body: JSON.stringify({ id: 0, ...error(code, message) }),
})

/** Refuses batches above a size as a provider does. */
const batchLimits: ReadonlyArray<readonly [provider: string, size: number, refuse: (asked: string) => Answer]> = [
  [
    "dRPC: code 31 for each call and status 500",
    3,
    (asked) => ({
      status: 500,
      body: JSON.stringify(
        callsIn(asked).map(({ id }) => ({
          id,
          ...error(31, "Batch of more than 3 requests are not allowed on free plan"),
        })),
      ),
    }),
  ],
  ["bor: batch too large", 10, () => refusal(-32600, "batch too large")],
  ["Flashbots: too many calls", 7, () => refusal(-32600, "too many RPC calls in batch request", 400)],
  ["Tatum: 402", 1, () => ({ status: 402, body: "Payment Required" })],
]

layer(venueShared(61), { excludeTestServices: true })("Batches (A12)", (it) => {
  for (const [provider, size, refuse] of batchLimits) {
    it.effect(`A12: become as small as the node accepts, down to ${size} (${provider})`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* sharedVenue
        const range = busyRange(simulation)
        const numbers = Array.from({ length: 40 }, (_, i) => simulation.head - i)
        const read = Effect.gen(function* () {
          const node = yield* ChainNode
          const headers = yield* node.headers(numbers)
          const logs = yield* logsOf(range)
          const newest = headers.slice(0, 5).flatMap((header) => header ?? [])
          return { headers, logs, blocks: yield* node.blockLogs(newest) }
        })
        const sizes: Array<number> = []
        const limited = yield* nodeBefore(url, (answer, asked) => {
          const count = callsIn(asked).length
          sizes.push(count)
          return isBatch(asked) && count > size ? refuse(asked) : answer
        })
        const expected = yield* Effect.provide(read, nodeAt(url))
        const [first, second] = yield* Effect.all([read, read]).pipe(Effect.provide(limited))
        assert.deepStrictEqual(first, expected)
        assert.deepStrictEqual(second, expected)
        const refused = sizes.filter((count) => count > size).length
        assert.isAtMost(refused, 6, "a limit is learnt once")
        assert.isTrue(sizes.slice(10).every((count) => count <= size))
      }),
    )
  }

  it.effect("A12: are halved when their answers are too large together, for that request only", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      simulation.freeze()
      simulation.advance(40_000)
      const sizes: Array<number> = []
      const limited = yield* nodeBefore(url, (answer, asked) => {
        const calls = callsIn(asked)
        if (!asked.includes("eth_getLogs")) return answer
        sizes.push(calls.length)
        if (calls.length <= 3) return answer
        const answers = JSON.parse(answer.body) as ReadonlyArray<{ readonly id: number }>
        const cut = answers.map((each, i) => (i < 3 ? each : { id: each.id, ...error(-32003, "response too large") }))
        return { status: 200, body: JSON.stringify(cut) }
      })
      const read = Effect.gen(function* () {
        const node = yield* ChainNode
        const headers = yield* node.headers(Array.from({ length: 8 }, (_, i) => simulation.head - 7 + i))
        return yield* node.blockLogs(headers.flatMap((header) => header ?? []))
      })
      assert.deepStrictEqual(yield* Effect.provide(read, limited), yield* Effect.provide(read, nodeAt(url)))
      assert.deepStrictEqual(sizes, [8, 4, 2, 2, 2, 2])
    }),
  )
})

layer(venueShared(62), { excludeTestServices: true })("Ranges that a node refuses", (it) => {
  it.effect("A13: fail with the width that the node suggests, and are not asked for again above its limit", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const { to } = busyRange(simulation)
      const asked: Array<string> = []
      const node = yield* nodeBefore(url, (answer, text) => {
        if (!text.includes("eth_getLogs")) return answer
        asked.push(text)
        const [{ params }] = JSON.parse(text) as [{ readonly params: [{ fromBlock: string; toBlock: string }] }]
        const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1
        return blocks > 5
          ? refusal(-32600, "you can make eth_getLogs requests with up to a 5 block range.", 400)
          : answer
      })
      const narrow = { from: to - 4, to }
      const read = yield* Effect.gen(function* () {
        for (let i = 0; i < 3; i++) {
          const failure = yield* Effect.flip(logsOf({ from: to - 99, to }))
          assert(failure._tag === "RangeTooLarge", failure.message)
          assert.strictEqual(failure.suggestedBlocks, 5)
        }
        assert.strictEqual(asked.length, 1, "the limit is known")
        return yield* logsOf(narrow)
      }).pipe(Effect.provide(node))
      assert.isNotEmpty(read.logs)
      // Only of several filters both ends are checked.
      const { ends, ...exact } = yield* logsOf(narrow).pipe(Effect.provide(nodeAt(url)))
      assert.deepStrictEqual(read, { ...exact, ends: ends.slice(-1) })
      const methods = callsIn(asked.at(-1) ?? "").map(({ method }) => method)
      assert.deepStrictEqual(methods, ["eth_getLogs", "eth_getBlockByNumber"], "one filter instead of three")
    }),
  )

  it.effect("are asked for with fewer addresses in each filter if there are too many, once", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const [refused, accepted]: [Array<number>, Array<number>] = [[], []]
      const node = yield* nodeBefore(url, (answer, text) => {
        const counts = [...text.matchAll(/"address":\[([^\]]*)\]/g)].map(([, list = ""]) => list.split(",").length)
        const most = Math.max(0, ...counts)
        if (counts.length > 0) (most > 10 ? refused : accepted).push(most)
        return most > 10 ? refusal(-32701, "Please, specify less number of addresses") : answer
      })
      const read = Effect.gen(function* () {
        const { headers, venueLogs } = yield* ChainNode
        const { ends: _, ...logs } = yield* logsOf(range)
        const blocks = (yield* headers([range.to - 1, range.to])).flatMap((header) => header ?? [])
        return { logs, venue: yield* venueLogs(blocks) }
      })
      const found = yield* Effect.provide(read, node)
      assert.isNotEmpty(found.logs.logs)
      assert.isNotEmpty(found.venue?.venue ?? [])
      assert.deepStrictEqual(found, yield* Effect.provide(read, nodeAt(url)))
      assert.lengthOf(refused, 2, "halved twice, and remembered")
      assert.isNotEmpty(accepted)
    }),
  )

  it.effect("B2: are split after a timeout, of the node or our own, which is not an outage", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const { to } = busyRange(simulation)
      const timedOut = yield* nodeBefore(url, (answer, asked) =>
        asked.includes("eth_getLogs") ? refusal(-32002, "request timed out") : answer,
      )
      const failure = yield* logsOf({ from: to - 3, to }).pipe(Effect.provide(timedOut), Effect.flip)
      assert.strictEqual(failure._tag, "RangeTooLarge")
      yield* Effect.promise(() =>
        fetch(`${url}/_sim/faults`, {
          method: "POST",
          body: JSON.stringify({ upstream: "rpc", channel: "http", kind: "slow", delay_ms: 60_000 }),
        }),
      )
      yield* Effect.gen(function* () {
        for (let i = 0; i < 10; i++) {
          assert.strictEqual((yield* Effect.flip(logsOf({ from: to - 3, to })))._tag, "RangeTooLarge")
        }
        yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "DELETE" }))
        assert.strictEqual((yield* ChainNode.use((node) => node.head)).number, to)
      }).pipe(Effect.provide(nodeAt(url, { "upstream.rpc.timeout": "500ms", "upstream.rpc.attempts": "1" })))
    }),
  )

  it.effect("B1: are asked for again while the node lags, and not split", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      for (const wording of ["invalid block range params", "block range extends beyond current head block"]) {
        let asked = 0
        const lagging = yield* nodeBefore(
          url,
          (answer, text) => {
            if (!text.includes("eth_getLogs")) return answer
            asked += 1
            return asked <= 6 ? refusal(-32000, wording) : answer
          },
          { "upstream.rpc.attempts": "1" },
        )
        const logs = yield* logsOf(range).pipe(Effect.provide(lagging))
        assert.deepStrictEqual(logs, yield* logsOf(range).pipe(Effect.provide(nodeAt(url))))
        assert.strictEqual(asked, 7)
      }
    }),
  )

  it.effect("are asked for again after a rate limit, until the patience ends", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      let limited = 3
      const flags = { "upstream.rpc.attempts": "1" }
      const change = (answer: Answer): Answer =>
        limited-- > 0 ? refusal(429, "Your app has exceeded its compute units per second capacity.", 429) : answer
      const logs = yield* logsOf(range).pipe(Effect.provide(yield* nodeBefore(url, change, flags)))
      assert.deepStrictEqual(logs, yield* logsOf(range).pipe(Effect.provide(nodeAt(url))))
      limited = Number.POSITIVE_INFINITY
      const impatient = yield* nodeBefore(url, change, { ...flags, "upstream.rpc.patience": "100ms" })
      const failure = yield* logsOf(range).pipe(Effect.provide(impatient), Effect.flip)
      assert.include(failure.message, "rate-limited")
    }),
  )

  it.effect("name the node that is needed when their blocks are pruned", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const pruned = yield* nodeBefore(url, () => refusal(-32000, "History has been pruned for this block"))
      const failure = yield* logsOf(range).pipe(Effect.provide(pruned), Effect.flip)
      assert.strictEqual(failure._tag, "RpcRefusal")
      assert.include(failure.message, "archive node")
    }),
  )

  it.effect("B3: are understood from the data of the error", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* sharedVenue
      const range = busyRange(simulation)
      const data = { payload: "range 7 is bigger than range limit 2" }
      const body = JSON.stringify({ id: 0, ...error(-32602, "invalid params", { data }) })
      const node = yield* nodeBefore(url, () => ({ status: 400, body }))
      const failure = yield* logsOf(range).pipe(Effect.provide(node), Effect.flip)
      assert(failure._tag === "RangeTooLarge", failure.message)
      assert.strictEqual(failure.suggestedBlocks, 2)
    }),
  )
})
