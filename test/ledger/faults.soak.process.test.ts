import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import type { RunningServer } from "#src/platform/embedded/Server.ts"
import { pause } from "#src/platform/embedded/waiting.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { isPassing, kinds } from "#src/simulator/faults/Fault.ts"
import { Dice } from "#src/simulator/random.ts"
import { eventually } from "#test/support/processes/sandbox.ts"
import { figures, seed } from "#test/support/processes/scale.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertEveryFactPublished } from "./support/folded.ts"
import { frailService, reachesHead } from "./support/frailService.ts"
import { assertTrueTimes } from "./support/times.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const plan = isSoak ? { reorgs: 50, kills: 20, restarts: 5, rate: 20 } : { reorgs: 3, kills: 2, restarts: 1, rate: 3 }
const recoveryWithin = 60_000

type Fault = "reorg" | "kill" | "postgres" | "redis"

const share = 0.05
/** Milder where the default would only make the test wait. */
const milder: Readonly<Record<string, object>> = {
  rate_limited: { retry_after_s: 0 },
  slow: { delay_ms: 200 },
  reorder: { delay_ms: 300 },
}

/** Every kind of fault at once, each in a twentieth of the node's answers. */
const breakNode = (url: string) =>
  Effect.promise(async () => {
    for (const channel of ["http", "socket"] as const) {
      for (const kind of kinds[channel].filter(isPassing)) {
        const body = JSON.stringify({ upstream: "rpc", channel, kind, share, ...milder[kind] })
        const answer = await fetch(`${url}/_sim/faults`, { method: "POST", body })
        assert.isTrue(answer.ok, kind)
      }
    }
  })

const healNode = (url: string) =>
  Effect.promise(async () => {
    const listed = await (await fetch(`${url}/_sim/faults`)).json()
    const { faults } = listed as { readonly faults: ReadonlyArray<{ readonly kind: string; readonly hits: number }> }
    await fetch(`${url}/_sim/faults`, { method: "DELETE" })
    return faults.reduce((sum, { hits }) => sum + hits, 0)
  })

/** All faults, in an order that the seed decides. */
const faultSequence = (dice: Dice): ReadonlyArray<Fault> => {
  const many = (what: Fault, count: number) => Array.from({ length: count }, () => what)
  const { reorgs, kills, restarts } = plan
  return [
    ...many("reorg", reorgs),
    ...many("kill", kills - 1),
    ...many("postgres", restarts),
    ...many("redis", restarts),
  ]
    .map((what) => ({ what, at: dice.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ what }) => what)
}

/** Kills or stops a server and starts it again after a moment. */
const restart = ({ kill, stop, start }: RunningServer, dice: Dice) =>
  Effect.andThen(dice.chance(0.5) ? kill : stop, Effect.andThen(pause(dice.between(0, 500)), start))

describe("The ledger under faults", () => {
  it.live("equals the venue's books and publishes every fact once and in order", () =>
    Effect.gen(function* () {
      figures("the ledger through faults", { seed })
      const dice = new Dice(Number(seed) >>> 0)
      const { url, simulation } = yield* runningVenue(43, { scale: isSoak ? "tiny" : "brief", rate: plan.rate })
      simulation.settle()
      yield* breakNode(url)
      const { postgres, redis, followers, kill, stores } = yield* frailService(url)
      // During the backfill.
      yield* pause(dice.between(100, 1_500))
      yield* kill

      const cause = (what: Fault) => {
        switch (what) {
          case "reorg":
            return Effect.sync(() => simulation.reorg(dice.between(1, 20)))
          case "kill":
            return kill
          case "postgres":
            return restart(postgres, dice)
          case "redis":
            return restart(redis, dice)
        }
      }

      yield* Effect.gen(function* () {
        yield* reachesHead(simulation, recoveryWithin)
        for (const what of faultSequence(dice)) {
          simulation.advance(dice.between(500, 40_000))
          if (what === "reorg" && dice.chance(0.7)) yield* reachesHead(simulation, recoveryWithin)
          else yield* pause(dice.between(0, 700))
          yield* cause(what)
        }
        simulation.advance(5_000)
        const hits = yield* healNode(url)
        simulation.settle()
        const took = yield* reachesHead(simulation, recoveryWithin)
        yield* assertEqualsTruth(simulation)
        yield* assertTrueTimes(simulation)
        for (const { check, ok, detail } of yield* verifyLedger) assert.isTrue(ok, `${check}: ${detail}`)
        const { facts, reorgs, retractions } = yield* assertEveryFactPublished
        assert.isAbove(reorgs, 0, "no reorganisation reached the ledger")

        const log = yield* EventLog
        const tail = yield* EventTail
        const head = yield* log.head
        yield* eventually(
          "Redis has the newest events again",
          recoveryWithin,
          Effect.map(tail.last, (last) => last === head),
        )
        assert.deepStrictEqual(
          yield* tail.read(head - 1_000n, 1_000),
          yield* log.read({ after: head - 1_000n, limit: 1_000 }),
        )
        figures("the ledger through faults", {
          "faults hit": hits,
          processes: followers.length,
          reorgs,
          "events retracted": retractions,
          facts,
          "caught up after": `${took} ms`,
        })
      }).pipe(Effect.provide(stores))
    }),
  )
})
