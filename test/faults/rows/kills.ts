import { Effect } from "effect"
import { isAlive } from "#src/platform/embedded/processes.ts"
import type { RunningServer } from "#src/platform/embedded/Server.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { ofAllWorkers, ofWorker } from "../support/inFlight.ts"
import type { Row, Scene } from "../support/Row.ts"
import type { Part } from "../support/service.ts"

/** A part that its supervisor starts again at once. */
const killed = (part: Part, within: number, more: Partial<Row> = {}): Row => ({
  name: `kill -9 of the ${part}`,
  within,
  fault: ({ kill, restart }) => Effect.andThen(kill(part), restart(part)),
  ...more,
})

/** Kills only the server's first process, and starts it again as its supervisor would. */
const killServer = ({ pid, start }: RunningServer, downMillis: number) =>
  Effect.gen(function* () {
    const found = (yield* pid) ?? 0
    process.kill(found, "SIGKILL")
    yield* eventually(
      "the server has ended",
      10_000,
      Effect.sync(() => !isAlive(found)),
    )
    yield* pause(downMillis)
    yield* start
  })

const downMillis = 3_000

/** One that runs a statement of the service. */
const backendPid = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ pid: number }>`
    select pid from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() and datname = current_database()
    order by state = 'active' desc, query_start desc limit 1`
  return row?.pid ?? (yield* Effect.die(new Error("the service has no connection")))
})

const takenOver = ({ kill }: Scene) => kill("worker")

/** Processes and servers that end without a word. */
export const kills: ReadonlyArray<Row> = [
  killed("api", 15, { silencesApi: true }),
  killed("gateway", 15),
  killed("scheduler", 15),
  {
    name: "kill -9 of a worker that another replaces",
    within: 15,
    mayRepeat: ofWorker,
    fault: takenOver,
    afterwards: ({ restart, awaitReady }) => Effect.andThen(restart("worker"), awaitReady("worker")),
  },
  {
    name: "kill -9 of every worker",
    within: 30,
    mayRepeat: ofAllWorkers,
    fault: ({ kill, restart }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["worker", "other worker"] as const, kill, { concurrency: 2 })
        yield* Effect.forEach(["worker", "other worker"] as const, restart)
      }),
  },
  killed("venue", 30),
  {
    name: "kill -9 of the Postgres postmaster",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "postgres", innocent: "redis" },
    fault: ({ postgres }) => killServer(postgres, downMillis),
  },
  {
    name: "kill -9 of one Postgres backend",
    within: 30,
    mayRepeat: ofAllWorkers,
    fault: () => Effect.map(backendPid, (pid) => void process.kill(pid, "SIGKILL")),
  },
  {
    name: "kill -9 of Redis",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "redis", innocent: "postgres" },
    fault: ({ redis }) => killServer(redis, downMillis),
  },
]
