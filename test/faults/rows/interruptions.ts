import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { hold } from "#test/support/hold.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { completeStart } from "../support/completeStart.ts"
import { type Home, makeHome, type Unready } from "../support/home.ts"
import { patience } from "../support/patience.ts"
import type { Row } from "../support/Row.ts"
import { servicesOn } from "../support/service.ts"

const within = 30
const beginsWithin = 120_000 * patience
const exportWithin = 60_000 * patience

/** Another directory, whose first start is interrupted at a moment, and which must then be complete. */
const interruptedFirstStart = (moment: string, isNow: (home: Unready) => Effect.Effect<boolean, unknown>) =>
  Effect.gen(function* () {
    const home = yield* makeHome(1)
    const first = yield* home.start
    yield* eventually(
      moment,
      beginsWithin,
      Effect.orElseSucceed(isNow(home), () => false),
      20,
    )
    assert.equal(yield* home.stop, 0, first.log())
    yield* completeStart(home)
    yield* home.stop
  }).pipe(Effect.scoped)

/** Some facts have been written, and the history is not complete. */
const readsHistory = ({ stores }: Unready) =>
  Effect.gen(function* () {
    const { databaseUrl, redisUrl } = yield* stores
    return yield* Effect.gen(function* () {
      const { sql } = yield* Postgres
      const [row] = yield* sql<{ reading: boolean }>`select caught_up_at is null as reading from chain_cursor`
      return row?.reading ?? false
    }).pipe(Effect.provide(servicesOn(databaseUrl, redisUrl, "presage")))
  })

const exportTo = (home: Home, to: string) =>
  start({
    name: "export",
    file: "src/main.ts",
    args: ["export", "--to", to, "--json"],
    env: { ...home.environment, UPSTREAM_SIMULATOR_URL: home.venue.url },
  })

/** Work that a SIGTERM interrupts. */
export const interruptions: ReadonlyArray<Row<Home>> = [
  {
    name: "SIGTERM while the tables are made, in another directory",
    within,
    isOnce: true,
    fault: () =>
      interruptedFirstStart("Postgres has been started", ({ instance }) =>
        Effect.sync(() => instance().log().includes("started postgres")),
      ),
  },
  {
    name: "SIGTERM while history is read, in another directory",
    within,
    isOnce: true,
    fault: () => interruptedFirstStart("history is being read", readsHistory),
  },
  {
    name: "SIGTERM of the service during an export",
    within,
    silencesApi: true,
    fault: (home) =>
      Effect.gen(function* () {
        const to = join(yield* temporaryDir, "facts")
        const release = yield* hold("lock table fill in access exclusive mode")
        const interrupted = yield* exportTo(home, to)
        yield* eventually(
          "the export writes files",
          exportWithin,
          Effect.sync(() => existsSync(join(to, "export.unfinished"))),
        )
        const stopping = yield* Effect.forkChild(home.stop, { startImmediately: true })
        yield* release
        assert.equal(yield* Fiber.join(stopping), 0, home.instance().log())
        const code = yield* interrupted.exit(exportWithin)
        assert.equal(existsSync(join(to, "manifest.json")), code === 0, interrupted.log())

        yield* home.start
        yield* home.awaitReady
        const again = code === 0 ? `${to}-again` : to
        const complete = yield* exportTo(home, again)
        assert.equal(yield* complete.exit(exportWithin), 0, complete.log())
        const { rows, to: last } = JSON.parse(readFileSync(join(again, "manifest.json"), "utf8"))
        const { sql } = yield* Postgres
        const [found] = yield* sql<{ fills: number }>`select count(*)::int as fills from fill where block <= ${last}`
        assert.equal(rows.fill, found?.fills)
      }),
  },
]
