import { cpus, loadavg } from "node:os"
import { Clock, Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"
import type { Bench } from "./support/Bench.ts"
import type { BlocksSubject, ObservedTicks, SeenBlock, TicksSubject } from "./support/live.ts"
import type { Figure, Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import { startEnvironment, startFlags } from "./support/startFlags.ts"
import { median, quantile } from "./support/statistics.ts"
import { BenchStores, temporaryDirectory, withStores } from "./support/stores.ts"

/** A tiny world produces 87 % of the configured rate, so this is about 100 fills/s. */
const rate = 115
/** More than a hundred blocks, and a batch of ticks each second: fewer would make p99 meaningless. */
const watched = "3 minutes"
/** Not counted: all processes, observers included, have just started. */
const warmedUp = "10 seconds"
const readyWithin = 180_000
const stopWithin = 30_000

/** The whole program as a user starts it, with its venue, but on the bench's stores, so that all of it can be observed. */
const presage = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const program = yield* start({
    name: "presage",
    flags: startFlags,
    file: "src/main.ts",
    args: ["start"],
    env: {
      ...environment,
      ...startEnvironment,
      PRESAGE_DIR: yield* temporaryDirectory,
      HOST: "127.0.0.1",
      PORT: "0",
      WS_PORT: "0",
      SIM_PORT: "0",
      SIM_SCALE: "tiny",
      SIM_RATE: String(rate),
    },
  })
  const line = yield* program.waitForLine(/^presage ready/, readyWithin)
  const venue = /sim (http\S+)/.exec(line)?.[1]
  if (venue === undefined) return yield* Effect.die(new Error(`no venue in: ${line}`))
  const stop = Effect.suspend(() => {
    program.stop()
    return program.exit(stopWithin)
  })
  return { venue, stop }
})

/** Missed items count as infinitely late. */
const withMissed = (late: ReadonlyArray<number | null>) => late.map((each) => each ?? Number.POSITIVE_INFINITY)
const missedOf = (late: ReadonlyArray<number | null>) => late.filter((each) => each === null).length

const latency = (
  what: string,
  late: ReadonlyArray<number | null>,
  limit: Figure,
  most: number,
): ReadonlyArray<Line> => {
  const values = withMissed(late)
  return [
    { what: `${what}, p50 of ${late.length}`, unit: "ms", ours: quantile(values, 0.5), limit },
    { what: "  p99", unit: "ms", ours: quantile(values, 0.99), goal: { most } },
  ]
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, each) => total + each, 0)

/** Between the first and the last block; the first block's fills belong to the time before. */
const fillsPerSecond = (blocks: ReadonlyArray<SeenBlock>) => {
  const seconds = ((blocks.at(-1)?.receivedAt ?? 0) - (blocks[0]?.receivedAt ?? 0)) / 1000
  return sum(blocks.slice(1).map(({ fills }) => fills)) / seconds
}

const linesOf = ({ ticks, redis }: ObservedTicks, blocks: ReadonlyArray<SeenBlock>): ReadonlyArray<Line> => {
  const node = { name: "eth_getLogs", value: median(blocks.map(({ queryMillis }) => queryMillis)) }
  const echo = { name: "XADD → read", value: median(redis) }
  const late = blocks.map((each) => each.late)
  return [
    ...latency("block received → committed and in Redis", late, node, 250),
    ...latency("tick received → in Redis, data streams", ticks.oracle_data_streams, echo, 20),
    ...latency("tick received → in Redis, platform", ticks.platform_oracle, echo, 20),
  ]
}

/** Delay from the venue to Redis, from which streams are served, with the whole program running. */
export const live: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const { venue, stop } = yield* presage
  const observers = {
    blocks: yield* startSubject<BlocksSubject>("ours/liveBlocks.ts", environment),
    ticks: yield* startSubject<TicksSubject>("ours/liveTicks.ts", environment),
  }
  yield* observers.blocks.call("start", venue)
  yield* observers.ticks.call("start", venue)
  yield* Effect.sleep(warmedUp)
  const since = yield* Clock.currentTimeMillis
  yield* Effect.sleep(watched)
  const observed = yield* observers.ticks.call("observed", since)
  const seen = yield* observers.blocks.call("observed", since)
  const blocks = seen.filter(({ fills }) => fills > 0)
  const stored = new Map(
    yield* observers.blocks.call(
      "stored",
      blocks.map(({ block }) => block),
    ),
  )
  yield* stop
  const fills = sum(blocks.map((each) => each.fills))
  const mispublished = sum(blocks.map((each) => Math.abs(each.fills - each.published)))
  const unstored = sum(blocks.map((each) => Math.max(0, each.fills - (stored.get(each.block) ?? 0))))
  const ticks = Object.values(observed.ticks).flat()
  return {
    lines: [
      ...linesOf(observed, blocks),
      { what: `fills, ${rate}/s configured`, unit: "fills/s", ours: fillsPerSecond(seen) },
    ],
    notes: [
      `${fills} fills in ${blocks.length} of ${seen.length} blocks: ${mispublished} missing or duplicated in Redis, ${unstored} missing in Postgres`,
      `${ticks.length} ticks, ${missedOf(ticks)} missing in Redis`,
      "observed by two processes with their own sockets, one for blocks and one for ticks; every figure includes their reading",
      "the node's response time (eth_getLogs) is measured last, because it would delay the response that Presage waits for",
      `Presage, the venue, both stores and the observers share ${cpus().length} cores at load ${loadavg()[0]?.toFixed(1)}; Presage backfills ten minutes of ticks, not a day`,
    ],
    rounds: { ...observed, blocks: seen, stored: [...stored] },
  }
}).pipe(withStores)
