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

/** A tiny world makes 87 of a hundred asked for, so this many are about a hundred. */
const rate = 115
/** In which more than a hundred blocks come, and ticks all at once each second: of fewer, one in a hundred says nothing. */
const watched = "3 minutes"
/** Not counted: programs that have just started, the observers among them. */
const warmedUp = "10 seconds"
const readyWithin = 180_000
const stopWithin = 30_000

/** The whole program as a user starts it, with its venue; but the stores are the bench's, so that all can be watched. */
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

/** What never came is later than anything. */
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

/** Between the first block and the last: what the first one brought is from before. */
const fillsPerSecond = (blocks: ReadonlyArray<SeenBlock>) => {
  const seconds = ((blocks.at(-1)?.heardAt ?? 0) - (blocks[0]?.heardAt ?? 0)) / 1000
  return sum(blocks.slice(1).map(({ fills }) => fills)) / seconds
}

const linesOf = ({ ticks, redis }: ObservedTicks, blocks: ReadonlyArray<SeenBlock>): ReadonlyArray<Line> => {
  const node = { name: "eth_getLogs", value: median(blocks.map(({ answered }) => answered)) }
  const echo = { name: "XADD → read", value: median(redis) }
  const late = blocks.map((each) => each.late)
  return [
    ...latency("block heard → committed and in Redis", late, node, 250),
    ...latency("tick heard → in Redis, data streams", ticks.oracle_data_streams, echo, 20),
    ...latency("tick heard → in Redis, platform", ticks.platform_oracle, echo, 20),
  ]
}

/** How soon what happens at the venue is where streams are served from, with the whole program at work. */
export const live: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const { venue, stop } = yield* presage
  const observers = {
    blocks: yield* startSubject<BlocksSubject>("ours/liveBlocks.ts", environment),
    ticks: yield* startSubject<TicksSubject>("ours/liveTicks.ts", environment),
  }
  yield* observers.blocks.ask("watch", venue)
  yield* observers.ticks.ask("watch", venue)
  yield* Effect.sleep(warmedUp)
  const since = yield* Clock.currentTimeMillis
  yield* Effect.sleep(watched)
  const observed = yield* observers.ticks.ask("observed", since)
  const seen = yield* observers.blocks.ask("observed", since)
  const blocks = seen.filter(({ fills }) => fills > 0)
  const stored = new Map(
    yield* observers.blocks.ask(
      "stored",
      blocks.map(({ block }) => block),
    ),
  )
  yield* stop
  const fills = sum(blocks.map((each) => each.fills))
  const misannounced = sum(blocks.map((each) => Math.abs(each.fills - each.announced)))
  const unstored = sum(blocks.map((each) => Math.max(0, each.fills - (stored.get(each.block) ?? 0))))
  const ticks = Object.values(observed.ticks).flat()
  return {
    lines: [
      ...linesOf(observed, blocks),
      { what: `fills, ${rate} asked for`, unit: "fills/s", ours: fillsPerSecond(seen) },
    ],
    notes: [
      `${fills} fills in ${blocks.length} of ${seen.length} blocks: ${misannounced} missing or doubled in Redis, ${unstored} missing in Postgres`,
      `${ticks.length} ticks, ${missedOf(ticks)} missing in Redis`,
      "heard and read by two processes with sockets of their own, one for blocks and one for ticks: their reading is part of every figure",
      "what a node's answer takes (eth_getLogs) is asked after all else: it would delay the answer that Presage waits for",
      `Presage, the venue, both stores and the observers share ${cpus().length} cores, whose load is ${loadavg()[0]?.toFixed(1)}; Presage loads ten minutes of old ticks, not a day`,
    ],
    rounds: { ...observed, blocks: seen, stored: [...stored] },
  }
}).pipe(withStores)
