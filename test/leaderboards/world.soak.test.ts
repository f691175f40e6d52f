import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { RealizedEvents } from "#src/simulator/control/truth/WalletTotals.ts"
import { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { startFollower } from "#test/ledger/support/livedThrough.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { assertRollingExact } from "./support/expected.ts"

const stores = () => ledger.pipe(Layer.provideMerge(testFoundation({ "ledger.reorg-depth": "30" })))

const isSoak = process.env.PRESAGE_SOAK === "1"

const day = 86_400_000

/** Realized P&L of each wallet in the days before a moment, from the venue's books. */
const gainedIn = ({ model }: Simulation, block: number, asOf: number, days: number) => {
  const realized = new RealizedEvents(model.world)
  const sums = new Map<string, bigint>()
  for (const { index, address } of model.wallets) {
    for (const position of model.world.venue.books.positionsOf(index)) {
      for (const event of realized.of(position)) {
        if (event.block > block || event.at <= asOf - days * day) continue
        sums.set(address, (sums.get(address) ?? 0n) + BigInt(event.amount))
      }
    }
  }
  return sums
}

/** In a settled world, the boards of everything match the venue's books. */
const assertTruth = Effect.fnUntraced(function* (simulation: Simulation) {
  const { sql } = yield* Postgres
  const [state] = yield* sql<{ block: number; at: Date }>`select block, at from leaderboard_state`
  assert.strictEqual(state?.block, simulation.head)
  for (const days of [1, 7, 30]) {
    const rows = yield* sql<{ wallet: string; realized: bigint }>`
      select '0x' || encode(w.address, 'hex') as wallet, r.realized
      from leaderboard_rolling r join wallet w on w.id = r.wallet where r.scope = 0 and r.days = ${days}`
    const sums = gainedIn(simulation, state?.block ?? 0, state?.at.getTime() ?? 0, days)
    assert.isAbove(sums.size, 10)
    const sorted = (entries: Iterable<readonly [string, bigint]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
    assert.deepStrictEqual(sorted(rows.map(({ wallet, realized }) => [wallet, realized] as const)), sorted(sums))
  }
})

// Seven days of history, so that events leave the last day.
for (const seed of isSoak ? Array.from({ length: 10 }, (_, i) => 201 + i) : [201]) {
  layer(stores(), { excludeTestServices: true })(`Rolling boards of world ${seed}`, (it) => {
    it.effect("are exact after the history, with new blocks, through reorganisations and when names arrive late", () =>
      Effect.gen(function* () {
        const dice = new Dice(seed)
        const { url, simulation } = yield* runningVenue(seed, { scale: "tiny", rate: isSoak ? 20 : 5 })
        const node = yield* Layer.build(nodeAt(url))
        const gamma = yield* Layer.build(Gamma.layer.pipe(Layer.provide(upstreamsAt(url))))
        const { sql, tx } = yield* Postgres
        const loader = yield* Effect.provide(catalogueLoader(tx), gamma)
        simulation.settle()
        assert.strictEqual(yield* refreshLeaderboards, "waits", "the ledger is empty")
        const following = yield* Effect.provide(startFollower, node)
        yield* caughtUp(simulation, following)

        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        const unnamed = yield* assertRollingExact("before the tokens are named")
        yield* loader.mentionedTokens
        assert.strictEqual(yield* refreshLeaderboards, "advanced")
        assert.isAbove(yield* assertRollingExact("after the names arrived"), unnamed)

        let advanced = 0
        for (let round = 0; round < (isSoak ? 40 : 6); round++) {
          simulation.advance(dice.between(2_000, 20_000))
          if (dice.chance(0.4)) simulation.reorg(dice.between(1, 20))
          if (dice.chance(0.7)) yield* caughtUp(simulation, following)
          if (dice.chance(0.4)) yield* loader.mentionedTokens
          if (dice.chance(0.4)) {
            yield* sql`update event set tags = tags || ${JSON.stringify([`tag-${round}`])}::jsonb, category = 'Another'
              where id % 3 = ${dice.between(0, 2)}`
          }
          // The follower continues meanwhile.
          const refreshing = yield* Effect.forkChild(refreshLeaderboards)
          // An interrupted refresh changes nothing.
          if (dice.chance(0.2)) yield* Fiber.interrupt(refreshing)
          else if ((yield* Fiber.join(refreshing)) === "advanced") advanced += 1
          if (dice.chance(0.5)) {
            yield* caughtUp(simulation, following)
            yield* refreshLeaderboards
            yield* assertRollingExact(`round ${round}`)
          }
        }
        assert.isAbove(advanced, 1)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* refreshLeaderboards
        yield* assertRollingExact("at the end")
        yield* assertTruth(simulation)
        const [kept] = yield* sql<{ boards: string }>`
          select string_agg(r::text, ' ' order by scope, days, wallet) as boards from leaderboard_rolling r`
        yield* sql`update leaderboard_state set stale = true`
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        const [built] = yield* sql<{ boards: string }>`
          select string_agg(r::text, ' ' order by scope, days, wallet) as boards from leaderboard_rolling r`
        assert.strictEqual(kept?.boards, built?.boards, "updated and rebuilt boards are equal")
      }),
    )
  })
}
