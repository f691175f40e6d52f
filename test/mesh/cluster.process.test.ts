import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { migrations } from "#migrations/index.ts"
import { clusterRunner } from "#src/mesh/Cluster.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { migrate } from "#src/platform/sql/migrate.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ledgerTables } from "#test/support/processes/ledger.ts"
import { type Process, start } from "#test/support/processes/Process.ts"
import { eventually, sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"
import { figures, scale } from "#test/support/processes/scale.ts"
import { emptyDatabase, testConfiguration } from "#test/support/TestStores.ts"

/** Guaranteed time until another process runs the actors of a lost one. */
const takeoverWithin = 15_000
const readyWithin = 40_000

type Tenants = "everything" | "steady"

const startRunners = (tenants: Tenants, names: ReadonlyArray<string>, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const env = { ...(yield* sandboxEnvironment), TENANTS: tenants, ...more }
    const file = "test/support/processes/entries/runner.ts"
    const runners = yield* Effect.forEach(names, (name) => start({ name, file, env }))
    for (const runner of runners) yield* runner.waitFor("ready", { within: readyWithin })
    return runners
  })

interface Newest {
  readonly pid: number
  readonly epoch: number
  /** Whether it is less than a second old. */
  readonly isNew: boolean
}

const newestWrite = (actor: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<Newest>`
        select pid, epoch, at > now() - interval '1 second' as "isNew" from ledger
        where actor = ${actor} order by seq desc limit 1`,
      ([row]) => row ?? { pid: 0, epoch: 0, isNew: false },
    ),
  )

/** How often an actor has started to write. */
const epochCount = (actor: string) =>
  Effect.flatMap(Postgres, ({ sql }) =>
    Effect.map(
      sql<{ n: number }>`select count(distinct epoch)::int as n from ledger where actor = ${actor}`,
      ([row]) => row?.n ?? 0,
    ),
  )

/** A joining runner takes its share of the actors a second or two later; measurements start after that. */
const settledMillis = 3_000

/** The actor's process and the other ones. */
const ownerAmong = (actor: string, runners: ReadonlyArray<Process>, stableMillis = settledMillis) =>
  Effect.gen(function* () {
    let newest = { pid: 0, since: performance.now() }
    yield* eventually(
      `${actor} stays where it is`,
      takeoverWithin,
      Effect.map(newestWrite(actor), ({ pid, isNew }) => {
        // An actor that writes nothing may be on its way to another process.
        if (pid !== newest.pid || !isNew) newest = { pid, since: performance.now() }
        return pid > 0 && performance.now() - newest.since >= stableMillis
      }),
    )
    const owner = runners.find(({ pid }) => pid === newest.pid)
    assert.ok(owner !== undefined, `${actor} is written by an unknown process`)
    return { owner, others: runners.filter((runner) => runner !== owner) }
  })

const takenOver = (actor: string, by: ReadonlyArray<Process>) =>
  eventually(
    `${actor} runs in ${by.map(({ name }) => name).join(" or ")}`,
    takeoverWithin,
    Effect.map(newestWrite(actor), (newest) => by.some(({ pid }) => pid === newest.pid)),
  )

/** Never two effective writers: epochs only rise, and every epoch's writes are 1, 2, 3 … in commit order. */
const assertOneWriter = (actor: string) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ epoch: number; counter: number; pid: number }>`
      select epoch, counter, pid from ledger where actor = ${actor} order by seq`
    let before = { epoch: 0, counter: 0, pid: 0 }
    for (const row of rows) {
      const sameEpoch = row.epoch === before.epoch && row.pid === before.pid && row.counter === before.counter + 1
      const nextEpoch = row.epoch > before.epoch && row.counter === 1
      assert.ok(sameEpoch || nextEpoch, `${actor}: ${JSON.stringify(before)} was followed by ${JSON.stringify(row)}`)
      before = row
    }
    return rows.length
  })

const refusals = (runners: ReadonlyArray<Process>) =>
  runners.flatMap(({ reports }) => reports.filter((each) => each.kind === "actor" && each.event === "refused")).length

/** The process of every entity, as seen by this runner. */
const ask = (runner: Process) =>
  Effect.suspend(() => {
    const from = runner.reports.length
    runner.say("ask")
    return runner.waitFor("answers", { within: takeoverWithin, from })
  })

describe.concurrent("a cluster", () => {
  it.live("restarts failing actors, takes over actors and entities after kill -9, hands over on SIGTERM", () =>
    Effect.gen(function* () {
      const count = scale.actors.entities
      const runners = yield* startRunners("everything", ["a", "b", "c"], { ENTITIES: String(count) })
      for (const [actor, cause] of [
        ["failing", "an unlucky number"],
        ["dying", "a defect on purpose"],
      ] as const) {
        yield* eventually(
          `${actor} started three times`,
          takeoverWithin,
          Effect.map(epochCount(actor), (count) => count >= 3),
        )
        const logs = runners.map((runner) => runner.log()).join("")
        assert.match(logs, new RegExp(`actor ${actor} failed and restarts[^]*?${cause}`))
      }

      const { owner: victim, others: survivors } = yield* ownerAmong("steady", runners)
      const [asker] = survivors as [Process]
      yield* eventually(
        "every runner knows of the same entities in every runner",
        takeoverWithin,
        Effect.map(Effect.all(runners.map(ask), { concurrency: "unbounded" }), ([seen, ...alike]) => {
          const pids = new Set(seen?.pids)
          return pids.size === runners.length && alike.every((other) => String(other.pids) === String(seen?.pids))
        }),
      )
      const before = yield* ask(asker)
      victim.kill()
      const killedAt = Date.now()
      const [takeover, after] = yield* Effect.all([takenOver("steady", survivors), ask(asker)], { concurrency: 2 })
      yield* takenOver("failing", survivors)
      yield* takenOver("dying", survivors)
      assert.ok(!after.pids.includes(victim.pid), "an entity still answers from the killed process")

      // No runner has joined since, so it does not move.
      const { owner, others } = yield* ownerAmong("steady", survivors, 0)
      owner.stop()
      const handover = yield* takenOver("steady", others)
      assert.equal(yield* owner.exit(20_000), 0, owner.log())
      for (const actor of ["steady", "failing", "dying"]) yield* assertOneWriter(actor)
      figures("cluster", {
        "kill -9 takeover of an actor": `${takeover} ms`,
        entities: count,
        "of the killed": before.pids.filter((pid) => pid === victim.pid).length,
        "all answer again after": `${after.at - killedAt} ms`,
        "SIGTERM handover": `${handover} ms`,
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox(ledgerTables))),
  )

  it.live("takes over from a frozen process, whose late writes have no effect", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { frozenAfterTakeoverMillis, frozenAtLeastMillis } = scale.actors
      // The locks of the frozen process end as soon as in production.
      const runners = yield* startRunners("steady", ["a", "b"], { POSTGRES_LOCK_TIMEOUT: "5s" })
      const { owner, others } = yield* ownerAmong("steady", runners)
      const { epoch } = yield* newestWrite("steady")
      owner.freeze()
      const since = performance.now()
      const takeover = yield* takenOver("steady", others)
      yield* pause(Math.max(frozenAfterTakeoverMillis, frozenAtLeastMillis - takeover))
      const from = owner.reports.length
      owner.thaw()
      const frozenFor = Math.round(performance.now() - since)
      const report = yield* owner.waitFor("actor", {
        within: takeoverWithin,
        from,
        // The frozen write was refused, interrupted, or cancelled by Postgres.
        where: ({ event }) => event === "refused" || event === "ended" || event === "failed",
      })
      assert.equal(report.epoch, epoch)
      yield* eventually(
        "the actor writes on under a later epoch",
        takeoverWithin,
        Effect.map(
          sql<{ n: number }>`
            select count(*)::int as n from ledger where epoch > ${epoch} and at > now() - interval '1 second'`,
          ([row]) => (row?.n ?? 0) > 5,
        ),
      )
      const writes = yield* assertOneWriter("steady")
      for (const runner of runners) assert.ok(!runner.hasExited(), runner.log())
      figures("a frozen actor", {
        "frozen for": `${frozenFor} ms`,
        takeover: `${takeover} ms`,
        writes,
        "refused with LeaseLost": refusals(runners),
        epochs: yield* epochCount("steady"),
      })
    }).pipe(Effect.scoped, Effect.provide(sandbox(ledgerTables))),
  )

  it.live("creates its tables once when many processes start together on a new database", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const together = <A, E, R>(count: number, work: Effect.Effect<A, E, R>) =>
        Effect.all(
          Array.from({ length: count }, () => work),
          { concurrency: "unbounded" },
        )
      const applied = yield* together(6, migrate(url, migrations))
      assert.equal(applied.filter((names) => names.length > 0).length, 1)
      yield* together(3, Layer.build(Layer.fresh(clusterRunner(url))))
    }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(Reactivity.layer, testConfiguration(), Logger.layer([])))),
  )
})
