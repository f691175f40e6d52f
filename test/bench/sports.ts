import { Effect } from "effect"
import { type Request, requests } from "./sports/answers.ts"
import type { Bench } from "./support/Bench.ts"
import type { PageLoadResult } from "./support/pageLoad.ts"
import { run, type Target, times } from "./support/pages.ts"
import type { PollingSubject } from "./support/polling.ts"
import { cpuSeconds } from "./support/processes.ts"
import { startProgram } from "./support/program.ts"
import type { Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import type { ScoresSubject, SportsSubject, SportsWorld } from "./support/sports.ts"
import { quantile } from "./support/statistics.ts"
import { temporaryDirectory } from "./support/stores.ts"

/** Ten times as many are to come. */
const liveGames = 500
const samples = 300
const polling = { clients: 1_000, everyMillis: 5_000, millis: 30_000 }
const polledGames = 20
const idleCores = 0.3
const idleSeconds = 60
const followedScores = 100

const environment = { SIM_SCALE: "tiny", SIM_GAMES: String(liveGames), LOG_LEVEL: "warn" }

const measure = Effect.fnUntraced(function* (ours: Target, world: SportsWorld, request: Request) {
  const paths = request.paths(world)
  yield* run(ours, times(40, paths))
  return { request, answers: yield* run(ours, times(samples, paths)) }
})

const lineOf = ({ request, answers }: { readonly request: Request; readonly answers: PageLoadResult }): Line => ({
  what: `${request.name}, p99`,
  unit: "ms",
  ours: answers.p99,
  goal: { most: 20 },
})

/** Cores that the program needs while `work` runs, with its stores and without the venue. */
const coresDuring = Effect.fnUntraced(function* <A, E, R>(pid: number, work: Effect.Effect<A, E, R>) {
  const [before, since] = [cpuSeconds(pid), performance.now()]
  const result = yield* work
  return { result, cores: (cpuSeconds(pid) - before) / ((performance.now() - since) / 1000) }
})

/** Waits until the program has done what follows from so many new markets, and has read the ticks of the last days. */
const settled = (pid: number) =>
  coresDuring(pid, Effect.sleep("5 seconds")).pipe(
    Effect.repeat({ until: ({ cores }) => cores < idleCores }),
    Effect.timeoutOption("5 minutes"),
  )

const portOf = (announced: string, name: string) => {
  const [, port] = new RegExp(`${name} \\w+://[^:]+:(\\d+)`).exec(announced) ?? []
  if (port === undefined) throw new Error(`no port of ${name} in: ${announced}`)
  return Number(port)
}

/** All answers about sports, scores on their way from the venue to clients, and many clients that poll. */
export const sports: Bench = Effect.gen(function* () {
  const dir = yield* temporaryDirectory
  const launched = performance.now()
  const { pid, announced } = yield* startProgram(dir, environment)
  const readySeconds = (performance.now() - launched) / 1000
  yield* settled(pid)
  const idle = yield* coresDuring(pid, Effect.sleep(`${idleSeconds} seconds`))
  const store = yield* startSubject<SportsSubject>("ours/sports.ts", { PRESAGE_DIR: dir, LOG_LEVEL: "warn" })
  const world = yield* store.call("world")
  const ours = { port: portOf(announced, "api"), key: world.key }

  const measured = yield* Effect.forEach(requests, (request) => measure(ours, world, request))
  const scores = yield* startSubject<ScoresSubject>("support/scores.ts", {}, "300 seconds")
  const delays = yield* scores.call("measure", {
    venuePort: portOf(announced, "sim"),
    apiPort: ours.port,
    streamPort: portOf(announced, "ws"),
    key: world.key,
    games: world.live,
    count: followedScores,
  })
  const poller = yield* startSubject<PollingSubject>("support/polling.ts", {}, "300 seconds")
  const paths = world.live.slice(0, polledGames).map(({ slug }) => `/v2/sports/games/${slug}/state`)
  const polled = yield* coresDuring(pid, poller.call("run", { ...ours, paths, ...polling }))
  return {
    lines: [
      ...measured.map(lineOf),
      { what: "a score in REST, p99", unit: "ms", ours: quantile(delays.rest, 0.99), goal: { most: 250 } },
      { what: "a score on the stream, p99", unit: "ms", ours: quantile(delays.stream, 0.99), goal: { most: 250 } },
      {
        what: `${polling.clients} clients polling ${polledGames} games`,
        unit: "cores",
        ours: polled.cores - idle.cores,
        goal: { most: 0.5 },
      },
      { what: "  refused", unit: "requests", ours: polled.result.refused, goal: { most: 0 } },
      { what: "nobody asks", unit: "cores", ours: idle.cores, goal: { most: idleCores } },
      { what: "ready after", unit: "s", ours: readySeconds, goal: { most: 180 } },
    ],
    notes: [
      `${world.live.length} games in play, ${world.upcoming.length} to come, ${world.markets} open markets`,
      "one request at a time; the program with all roles, its stores and the simulated venue on the same machine",
      `scores: ${delays.rest.length}, from the venue's socket`,
      `polling: each client every ${polling.everyMillis / 1000} s, p99 ${polled.result.p99.toFixed(1)} ms`,
      ...(polled.result.refusal === undefined ? [] : [`refused: ${polled.result.refusal}`]),
    ],
    rounds: { measured, delays, idle, polled },
  }
}).pipe(Effect.scoped)
