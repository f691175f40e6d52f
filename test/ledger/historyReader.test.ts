import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Logger, Schedule, Scope, Stream } from "effect"
import { type DecodedAnswer, decodeRange } from "#src/ledger/decodeRange.ts"
import { historyReader } from "#src/ledger/HistoryReader.ts"
import { readHistory } from "#src/ledger/history.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { rangeCalls } from "#src/upstream/chain/readRange.ts"
import { eventually } from "#test/support/eventually.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { threads } from "#test/support/threads.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { counted } from "#test/ticks/support.ts"

const world = (url: string, flags: Record<string, string> = {}) =>
  ChainNode.layer.pipe(
    Layer.provide(upstreamsAt(url)),
    Layer.provideMerge(testConfiguration(flags)),
    Layer.orDie,
    Layer.merge(Logger.layer([])),
  )

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof runningVenue>>>()("test/ledger/Venue") {}

const settledVenue = Layer.effect(
  Venue,
  Effect.tap(runningVenue(91), ({ simulation }) => Effect.sync(() => simulation.settle())),
)

const exact = { isMerged: false, addresses: 100 }

const inProcess: RangeReader<DecodedAnswer> = (answer) => Effect.sync(() => decodeRange(answer))

const rangesOf = ({ head }: Simulation): ReadonlyArray<BlockRange> => {
  const span = head - firstBlock
  return [0, 0.2, 0.45, 0.7, 0.95, 1].map((part) => {
    const from = firstBlock + Math.floor((span - 1_000) * part)
    return { from, to: from + 1_000 }
  })
}

/** Bytes as a node would send them. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const answerTo = (url: string, range: BlockRange, change: (text: string) => string = (text) => text) =>
  Effect.promise(async () => {
    const calls = rangeCalls({ range, ...exact }).map((each, id) => ({ jsonrpc: "2.0", id, ...each }))
    const answer = await fetch(`${url}/rpc`, { method: "POST", body: JSON.stringify(calls) })
    return { bytes: bytesOf(change(await answer.text())), range, ...exact, headers: undefined }
  })

layer(settledVenue, { excludeTestServices: true })("historyReader", (it) => {
  it.effect("decodes several ranges at once like decodeRange in the same thread", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        const inThread = yield* historyReader
        const read = (by: RangeReader<DecodedAnswer>) =>
          Effect.forEach(rangesOf(simulation), (range) => node.logs(range, by), { concurrency: "unbounded" })
        const [expected, decoded] = [yield* read(inProcess), yield* read(inThread)]
        assert.isAbove(
          expected.reduce((sum, { decoded }) => sum + decoded.facts.length, 0),
          500,
        )
        assert.deepStrictEqual(decoded, expected)
      }).pipe(Effect.provide(world(url)))
    }),
  )

  it.effect("reports malformed, refused and untimed answers like decodeRange in the same thread", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      const range = { from: simulation.head - 200, to: simulation.head }
      const inThread = yield* historyReader
      const garbage = Buffer.alloc(5_000, 0xfe)
      const cases = [
        ["Malformed", { range, ...exact, headers: undefined, bytes: new Uint8Array(garbage) }],
        ["Malformed", { range, ...exact, headers: undefined, bytes: bytesOf("") }],
        ["Malformed", { range, ...exact, headers: undefined, bytes: bytesOf("<html>no</html>") }],
        ["Malformed", { range, ...exact, headers: undefined, bytes: bytesOf("[1, null, {}]") }],
        ["Malformed", yield* answerTo(url, range, (text) => text.slice(0, -100))],
        ["Malformed", yield* answerTo(url, { from: range.from, to: range.to + 5 })],
        ["Refused", yield* answerTo(url, { from: firstBlock, to: simulation.head })],
        ["Untimed", yield* answerTo(url, range, (text) => text.replaceAll("blockTimestamp", "blockTime"))],
        ["Read", yield* answerTo(url, range)],
      ] as const
      for (const [tag, answer] of cases) {
        const expected = decodeRange({ ...answer, bytes: answer.bytes.slice() })
        const result = yield* inThread(answer)
        assert.strictEqual(result._tag, tag)
        assert.deepStrictEqual(result, expected)
      }
    }),
  )

  it.effect("takes block times from headers if logs have none", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      const [range] = rangesOf(simulation).slice(-1)
      assert(range !== undefined)
      yield* Effect.gen(function* () {
        const node = yield* ChainNode
        const inThread = yield* historyReader
        const withoutTimes: RangeReader<DecodedAnswer> = ({ bytes, ...answer }) => {
          const text = Buffer.from(bytes).toString("utf8").replaceAll("blockTimestamp", "blockTime")
          return inThread({ ...answer, bytes: bytesOf(text) })
        }
        assert.deepStrictEqual(yield* node.logs(range, withoutTimes), yield* node.logs(range, inProcess))
      }).pipe(Effect.provide(world(url)))
    }),
  )

  it.effect("reads every fact once when a range is too large for the node", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      simulation.advance(20_000)
      const range = { from: simulation.head - 2_000, to: simulation.head }
      const read = (flags: Record<string, string>) =>
        Effect.gen(function* () {
          const history = yield* readHistory
          const ranges = yield* Stream.runCollect(history(range))
          return ranges.flatMap(({ facts }) => facts)
        }).pipe(Effect.provide(world(url, flags)))
      const refusals = counted("presage_upstream_requests_total", { upstream: "rpc", outcome: "too-large" })
      const expected = yield* read({})
      const before = yield* refusals
      const greedy = { "ledger.logs-per-request": "200000", "upstream.answer-limit": "1" }
      assert.deepStrictEqual(yield* read(greedy), expected)
      assert.isAbove(yield* refusals, before)
    }),
  )

  it.effect("fails waiting and later requests when its thread dies, and the next read starts a new thread", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      const { started } = yield* threads
      const range = { from: simulation.head - 1_500, to: simulation.head }
      yield* Effect.gen(function* () {
        const history = yield* readHistory
        const kill = Effect.promise(async () => started.at(-1)?.terminate())
        const failure = yield* Effect.flip(Stream.runForEach(history(range), () => kill))
        assert.strictEqual(failure._tag, "ReaderDied")
        assert.include(failure.message, "the history reader thread ended")
        assert.strictEqual(started.length, 1)
        const ranges = yield* Stream.runCollect(history(range))
        assert.strictEqual(ranges.at(-1)?.last.number, simulation.head)
        assert.strictEqual(started.length, 2)

        const inThread = yield* historyReader
        const answer = yield* answerTo(url, { from: range.to - 100, to: range.to })
        yield* kill
        assert.strictEqual((yield* Effect.flip(inThread(answer)))._tag, "ReaderDied")
      }).pipe(Effect.provide(world(url, { "ledger.facts-per-write": "1", "ledger.logs-per-request": "100" })))
    }),
  )

  it.effect("ends its thread with the read, whether the read finishes, is interrupted or never starts", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      const { started } = yield* threads
      const range = { from: simulation.head - 1_500, to: simulation.head }
      const allEnded = eventually(
        "no thread is left",
        Effect.sync(() => started.every(({ threadId }) => threadId === -1)),
      )
      yield* Effect.gen(function* () {
        const history = yield* readHistory
        yield* Stream.runDrain(history(range))
        yield* allEnded
        assert.strictEqual(
          yield* Effect.map(Stream.runCollect(Stream.take(history(range), 1)), (each) => each.length),
          1,
        )
        yield* allEnded

        const endless = yield* Effect.forkChild(Effect.repeat(Stream.runDrain(history(range)), Schedule.forever))
        yield* eventually(
          "reading has started",
          Effect.sync(() => started.length > 2),
        )
        yield* Fiber.interrupt(endless)
        yield* allEnded
      }).pipe(Effect.provide(world(url)))

      const scope = yield* Scope.make()
      const inThread = yield* Scope.provide(historyReader, scope)
      const waiting = yield* Effect.forkChild(inThread(yield* answerTo(url, { from: range.to - 400, to: range.to })))
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      yield* allEnded
      const exit = yield* Fiber.await(waiting)
      assert.isTrue(Exit.isFailure(exit), "a request to an ended thread fails")
    }),
  )
})
