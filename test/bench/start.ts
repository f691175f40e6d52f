import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { descendantsOf, nameOf, proportionalMegabytes, residentMegabytes } from "./support/processes.ts"
import { startProgram } from "./support/program.ts"
import { median } from "./support/statistics.ts"
import { temporaryDirectory } from "./support/stores.ts"

const restarts = 5
const idleFor = "1500 millis"

interface Run {
  readonly readySeconds: number
  readonly stopSeconds: number
  readonly memory: Memory
}

interface Memory {
  readonly node: number
  readonly postgres: number
  readonly redis: number
}

const memoryOf = (pid: number): Memory => {
  const others = descendantsOf(pid)
  const sum = (name: RegExp) =>
    others.filter((each) => name.test(nameOf(each))).reduce((total, each) => total + proportionalMegabytes(each), 0)
  return { node: residentMegabytes(pid), postgres: sum(/^postgres/), redis: sum(/^(redis|valkey)/) }
}

/** Starts the program like a user, lets it idle, and stops it like a service manager. */
const runOnce = (dir: string) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const since = (from: number) => (performance.now() - from) / 1000
    const { pid, stop } = yield* startProgram(dir)
    const readySeconds = since(startedAt)
    yield* Effect.sleep(idleFor)
    const memory = memoryOf(pid)
    const stoppedAt = performance.now()
    yield* stop
    return { readySeconds, stopSeconds: since(stoppedAt), memory } satisfies Run
  }).pipe(Effect.scoped)

/** From the command to `presage ready`, and from SIGTERM to exit, with all roles and the embedded stores. */
export const start: Bench = Effect.gen(function* () {
  const dir = yield* temporaryDirectory
  const first = yield* runOnce(dir)
  const restarted: Array<Run> = []
  for (let i = 0; i < restarts; i++) restarted.push(yield* runOnce(dir))
  const medianOf = (of: (run: Run) => number) => median(restarted.map(of))
  return {
    lines: [
      { what: "restart until ready", unit: "s", ours: medianOf((run) => run.readySeconds), goal: { most: 4 } },
      { what: "first start until ready, once installed", unit: "s", ours: first.readySeconds, goal: { most: 60 } },
      { what: "SIGTERM until exit", unit: "s", ours: medianOf((run) => run.stopSeconds) },
      { what: "idle memory, node (RSS)", unit: "MB", ours: medianOf((run) => run.memory.node) },
      { what: "idle memory, postgres (PSS)", unit: "MB", ours: medianOf((run) => run.memory.postgres) },
      { what: "idle memory, redis (PSS)", unit: "MB", ours: medianOf((run) => run.memory.redis) },
    ],
    notes: [],
    rounds: { first, restarted },
  }
})
