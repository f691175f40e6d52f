import assert from "node:assert/strict"
import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { postgresPid, redisPid, temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import type { Home } from "../support/home.ts"
import { ofWorker } from "../support/inFlight.ts"
import { patience } from "../support/patience.ts"
import type { Row } from "../support/Row.ts"

/** A start with a history that is complete. */
const restartWithin = 30
const refusesWithin = 30_000 * patience

/** Stops the instance, changes its directory, and starts it again. */
const restartedAfter = (change: (home: Home) => void) => (home: Home) =>
  Effect.gen(function* () {
    assert.equal(yield* home.stop, 0)
    yield* Effect.sync(() => change(home))
    yield* home.start
  })

/** A file without which no start is possible: it must be named, and nothing must be changed. */
const refuses = (name: string, spoil: (text: string) => string, exitCode: number) => (home: Home) =>
  Effect.gen(function* () {
    const path = join(home.dir, name)
    assert.equal(yield* home.stop, 0)
    const text = readFileSync(path, "utf8")
    const { mode } = statSync(path)
    const spoilt = spoil(text)
    writeFileSync(path, spoilt)
    const refused = yield* home.start
    const code = yield* refused.exit(refusesWithin)
    assert.equal(code, exitCode, refused.log())
    assert.ok(refused.log().includes(name), refused.log())
    assert.equal(readFileSync(path, "utf8"), spoilt, "the file was changed")
    writeFileSync(path, text, { mode })
    yield* home.start
  })

const journal = "simulator/journal.jsonl"
const secrets = "secrets.json"

/** A service of one process with its own stores, in its own directory. */
export const directories: ReadonlyArray<Row<Home>> = [
  {
    name: "kill -9 of the Postgres that an instance runs",
    within: 30,
    mayRepeat: ofWorker,
    fault: ({ dir }) => Effect.sync(() => void process.kill(postgresPid(dir), "SIGKILL")),
  },
  {
    name: "kill -9 of the Redis that an instance runs",
    within: 30,
    mayRepeat: ofWorker,
    fault: ({ stores }) =>
      Effect.gen(function* () {
        process.kill(yield* redisPid((yield* stores).redisUrl), "SIGKILL")
      }),
  },
  {
    name: "kill -9 of a whole instance, which is started again",
    within: restartWithin,
    mayRepeat: ofWorker,
    silencesApi: true,
    fault: ({ kill, start }) => Effect.andThen(kill, start),
  },
  {
    name: "two instances in one directory, of which the first is killed",
    within: restartWithin,
    mayRepeat: ofWorker,
    silencesApi: true,
    fault: ({ startAnother, kill, start }) =>
      Effect.gen(function* () {
        yield* startAnother
        yield* kill
        // Both take over what the first one ran.
        yield* start
      }),
    afterwards: ({ stopAnother }) => Effect.map(stopAnother, (code) => assert.equal(code, 0)),
  },
  {
    name: "a port is taken",
    within: restartWithin,
    fault: ({ environment }) =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const env = { ...environment, PRESAGE_DIR: dir, SIM_PORT: "0" }
        const second = yield* start({ name: "second", file: "src/main.ts", args: ["start"], env })
        assert.equal(yield* second.exit(refusesWithin), 4, second.log())
        assert.match(second.log(), new RegExp(`PORT.*${env.PORT}|${env.PORT}.*PORT`))
      }),
  },
  {
    name: "the last line of the venue's journal is torn",
    within: restartWithin,
    silencesApi: true,
    fault: restartedAfter(({ dir }) => appendFileSync(join(dir, journal), '{"kind":"clock","at":17')),
  },
  {
    name: "a line of the venue's journal is garbage, until it is restored",
    within: restartWithin,
    silencesApi: true,
    fault: refuses(journal, (text) => `${text}no JSON\n`, 1),
  },
  {
    name: "secrets.json is truncated, until it is restored",
    within: restartWithin,
    silencesApi: true,
    fault: refuses(secrets, (text) => text.slice(0, text.length / 2), 3),
  },
  {
    name: "the files of Redis are cut off after kill -9",
    within: restartWithin,
    mayRepeat: ofWorker,
    silencesApi: true,
    fault: (home) =>
      Effect.gen(function* () {
        yield* home.kill
        const file = join(home.dir, "redis", "appendonlydir", "appendonly.aof.1.incr.aof")
        yield* eventually(
          "the append-only file is there",
          10_000,
          Effect.sync(() => existsSync(file)),
        )
        yield* Effect.sync(() => truncateSync(file, Math.floor(statSync(file).size / 2)))
        yield* home.start
      }),
  },
  {
    name: "every user may read the secrets",
    within: restartWithin,
    silencesApi: true,
    fault: (home) =>
      Effect.gen(function* () {
        yield* restartedAfter(({ dir }) => chmodSync(join(dir, secrets), 0o666))(home)
        yield* home.awaitReady
        assert.equal(statSync(join(home.dir, secrets)).mode & 0o777, 0o600)
        assert.match(home.instance().log(), /accessible to every user/)
      }),
  },
]
