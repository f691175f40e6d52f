import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { ledgerTables } from "#test/support/processes/ledger.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, scale } from "#test/support/processes/scale.ts"

/** The promise: what a lost process ran is running elsewhere within this. */
const takeoverWithin = 15_000
const readyWithin = 40_000

type Tenants = "actors" | "freezing" | "entities"

const startRunner = (tenants: Tenants, name: string, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const env = { ...(yield* sandboxEnvironment), TENANTS: tenants, ...more }
    const runner = yield* start({ name, file: "test/support/processes/entries/runner.ts", env })
    return runner
  })

const startPair = (tenants: Tenants, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const pair = [yield* startRunner(tenants, "a", more), yield* startRunner(tenants, "b", more)] as const
    for (const runner of pair) yield* runner.waitFor("ready", { within: readyWithin })
    return pair
  })

interface Newest {
  readonly pid: number
  readonly epoch: number
}

const newestWrite = (actor: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<Newest>`select pid, epoch from ledger where actor = ${actor} order by seq desc limit 1`,
      ([row]) => row ?? { pid: 0, epoch: 0 },
    ),
  )

/** The actor's process, and the other one. */
const ownerAmong = (actor: string, [a, b]: readonly [Process, Process]) =>
  Effect.gen(function* () {
    yield* eventually(
      "a first write",
      takeoverWithin,
      Effect.map(newestWrite(actor), ({ pid }) => pid > 0),
    )
    const { pid } = yield* newestWrite(actor)
    return pid === a.pid ? ([a, b] as const) : ([b, a] as const)
  })

const takenOver = (actor: string, successor: Process) =>
  eventually(
    `${actor} runs in ${successor.name}`,
    takeoverWithin,
    Effect.map(newestWrite(actor), ({ pid }) => pid === successor.pid),
  )

/** Never two effective writers: epochs only rise, and every epoch's writes are 1, 2, 3 … in commit order. */
const assertOneWriter = (actor: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ epoch: number; counter: number; pid: number }>`
      select epoch, counter, pid from ledger where actor = ${actor} order by seq`
    let before = { epoch: 0, counter: 0, pid: 0 }
    for (const row of rows) {
      const sameLife = row.epoch === before.epoch && row.pid === before.pid && row.counter === before.counter + 1
      const nextLife = row.epoch > before.epoch && row.counter === 1
      assert.ok(sameLife || nextLife, `${actor}: ${JSON.stringify(before)} was followed by ${JSON.stringify(row)}`)
      before = row
    }
    return rows.length
  })

const refusals = (runners: ReadonlyArray<Process>) =>
  runners.flatMap(({ reports }) => reports.filter((each) => each.kind === "actor" && each.event === "refused")).length

describe.concurrent("a cluster of two processes", () => {
  it.live("restarts failing actors, hands over on SIGTERM, and takes over after kill -9", () =>
    Effect.gen(function* () {
      const pair = yield* startPair("actors")
      for (const [actor, cause] of [
        ["failing", "an unlucky number"],
        ["dying", "a defect on purpose"],
      ] as const) {
        yield* eventually(
          `${actor} started three times`,
          takeoverWithin,
          Effect.map(newestWrite(actor), ({ epoch }) => epoch >= 3),
        )
        const logs = pair.map((runner) => runner.log()).join("")
        assert.match(logs, new RegExp(`actor ${actor} failed and is started again[^]*?${cause}`))
      }

      const [owner, other] = yield* ownerAmong("steady", pair)
      owner.stop()
      const handover = yield* takenOver("steady", other)
      assert.equal(yield* owner.exit(20_000), 0, owner.log())

      const third = yield* startRunner("actors", "c")
      yield* third.waitFor("ready", { within: readyWithin })
      const [victim, survivor] = yield* ownerAmong("steady", [other, third])
      victim.kill()
      const takeover = yield* takenOver("steady", survivor)
      yield* takenOver("failing", survivor)
      yield* takenOver("dying", survivor)
      for (const actor of ["steady", "failing", "dying"]) yield* assertOneWriter(actor)
      figures("actors", { "SIGTERM handover": `${handover} ms`, "kill -9 takeover": `${takeover} ms` })
    }).pipe(Effect.scoped, Effect.provide(sandbox(ledgerTables))),
  )

  it.live("takes over from a frozen process, whose late writes have no effect", () =>
    Effect.gen(function* () {
      const { frozenAfterTakeoverMillis, frozenAtLeastMillis } = scale.actors
      const pair = yield* startPair("freezing")
      const [owner, successor] = yield* ownerAmong("steady", pair)
      const { epoch } = yield* newestWrite("steady")
      const since = performance.now()
      owner.freeze()
      const takeover = yield* takenOver("steady", successor)
      const frozenFor = Math.max(takeover + frozenAfterTakeoverMillis, frozenAtLeastMillis)
      yield* eventually(
        "frozen long enough",
        frozenFor + 1_000,
        Effect.sync(() => performance.now() - since >= frozenFor),
      )
      const heard = owner.reports.length
      owner.thaw()
      const stirred = yield* owner.waitFor("actor", {
        within: takeoverWithin,
        from: heard,
        where: ({ event }) => event === "refused" || event === "ended",
      })
      assert.equal(stirred.epoch, epoch)
      const { epoch: after } = yield* newestWrite("steady")
      yield* eventually(
        "the actor still writes",
        takeoverWithin,
        Effect.gen(function* () {
          const { sql } = yield* Postgres
          const [row] = yield* sql<{ n: number }>`
            select count(*)::int as n from ledger where epoch >= ${after} and at > now() - interval '1 second'`
          return (row?.n ?? 0) > 10
        }),
      )
      const writes = yield* assertOneWriter("steady")
      assert.ok(!owner.hasExited() && !successor.hasExited())
      figures("a frozen actor", {
        "frozen for": `${Math.round(frozenFor)} ms`,
        takeover: `${takeover} ms`,
        writes,
        "refused with LeaseLost": refusals(pair),
        epochs: (yield* newestWrite("steady")).epoch,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox(ledgerTables))),
  )

  it.live("answers for every entity, also after one of the two was killed", () =>
    Effect.gen(function* () {
      const count = scale.actors.entities
      const [a, b] = yield* startPair("entities", { ENTITIES: String(count) })
      const ask = (runner: Process) =>
        Effect.suspend(() => {
          const from = runner.reports.length
          runner.say("ask")
          return runner.waitFor("answers", { within: takeoverWithin, from })
        })
      yield* eventually(
        "both runners have entities and know it of each other",
        takeoverWithin,
        Effect.map(
          Effect.all([ask(a), ask(b)]),
          ([{ pids }, seenByB]) =>
            pids.includes(a.pid) && pids.includes(b.pid) && String(pids) === String(seenByB.pids),
        ),
      )
      const before = yield* ask(a)
      b.kill()
      const killedAt = Date.now()
      const again = yield* ask(a)
      assert.deepEqual(new Set(again.pids), new Set([a.pid]))
      figures("entities", {
        entities: count,
        "moved after kill -9": before.pids.filter((pid) => pid === b.pid).length,
        "all answer after": `${again.at - killedAt} ms`,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox([]))),
  )
})
