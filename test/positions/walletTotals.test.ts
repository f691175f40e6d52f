import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { PositionFilter } from "#src/positions/PositionFilter.ts"
import { boardPrices, tradePrices } from "#src/positions/sums/openPrices.ts"
import { sumPositions } from "#src/positions/sums/SumsStore.ts"
import { fromBoards, knownTotals } from "#src/positions/wallet/fromBoards.ts"
import { fromPositions } from "#src/positions/wallet/fromPositions.ts"
import type { WalletQuery } from "#src/positions/wallet/model.ts"
import { walletPositionStore } from "#src/positions/wallet/WalletPositionStore.ts"
import { Dice } from "#src/simulator/random.ts"
import { randomLedger } from "#test/leaderboards/support/randomLedger.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"
const rounds = isSoak ? 100 : 25
const statuses = ["all", "open", "closed"] as const
const tags = ["third", "unknown"]
const totalsOf = (filter: PositionFilter) => knownTotals(filter) ?? assert.fail("boards do not know the totals")
const enough = 1_000

/** Lists all known conditions, at other prices than before, and tags some of their events. */
const list = (dice: Dice) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    yield* sql`
      insert into event (id, slug, title, tags, category, active, closed, archived, featured, neg_risk)
      select id, 'event-' || id, 'Event ' || id, case when id % 3 = ${dice.between(0, 2)} then '["third"]' else '[]' end::jsonb, '',
        true, false, false, false, false
      from condition
      on conflict (id) do update set tags = excluded.tags`
    yield* sql`
      insert into market (id, condition, event, tokens, slug, question, outcomes, prices, active, closed, archived,
        accepting_orders, neg_risk)
      select id, id, id, '[]', 'market-' || id, 'Market ' || id, '["Yes", "No"]', jsonb_build_array(price, 1000000 - price),
        true, false, false, true, false
      from (select id, (id * ${dice.between(1, 999)}::int) % 1000000 as price from condition) c
      on conflict (id) do update set prices = excluded.prices`
  })

const stores = ledger.pipe(Layer.provideMerge(testFoundation({ "ledger.reorg-depth": "30" })))

layer(stores, { excludeTestServices: true })("Totals of a wallet's positions from the boards", (it) => {
  it.effect("equal those of its positions, whatever happened since the boards were refreshed", () =>
    Effect.gen(function* () {
      const dice = new Dice(29)
      const postgres = yield* Postgres
      const { append, appendResolution, rollback, conditions } = yield* randomLedger(dice, Date.UTC(2026, 10, 15))
      const plain = fromPositions(postgres)
      // In the order of the page, and from the tokens of a tag.
      const quick = [0, 2].map((smallShare) => fromBoards(postgres, { smallShare, rescoped: enough }))
      yield* Effect.repeat(append(true), { times: 10 })
      yield* list(dice)
      yield* refreshLeaderboards
      let [open, since] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        const roll = dice.between(1, 7)
        if (roll === 1) yield* refreshLeaderboards
        else if (roll === 2) yield* rollback(dice.between(1, 4))
        else if (roll === 3) yield* appendResolution(dice.pick(conditions))
        else if (roll === 4) yield* list(dice)
        else yield* Effect.repeat(append(true), { times: dice.between(1, 3) })
        const wallets = yield* postgres.sql<{ id: number }>`select id from wallet`
        for (const { id } of wallets) {
          const tagged = { status: dice.pick(statuses), tagSlug: dice.pick(tags) }
          for (const filter of [...statuses.map((status): PositionFilter => ({ status })), tagged]) {
            const order = dice.pick(["asc", "desc"] as const)
            const query = { wallet: id, filter, limit: 3, offset: dice.between(0, 2), order, after: undefined }
            const { page: expected } = yield* plain(query, tradePrices)
            const where = `round ${round}, wallet ${id}, ${filter.status} ${filter.tagSlug}`
            for (const read of quick) {
              const found = yield* read(query, totalsOf(filter))
              // Tags may have changed since the boards were refreshed.
              if (filter.tagSlug === undefined || found !== undefined)
                assert.deepStrictEqual(found?.page, expected, where)
              if (filter.tagSlug === "third" && found?.counted !== found?.block) since += expected.totals.positions
            }
            assert.deepStrictEqual((yield* plain(query, boardPrices)).page, expected, where)
            open += expected.totals.open
          }
        }
        const ids = wallets.map(({ id }) => id)
        const tokens = (yield* postgres.sql<{ id: number }>`select id from token`).map(({ id }) => id)
        const within = { kind: "tokens", tokens: tokens.filter(() => dice.chance(0.7)) } as const
        const [added, priced] = yield* Effect.forEach([tradePrices, boardPrices], (prices) =>
          Effect.map(sumPositions(postgres.sql, ids, within, prices), ({ sums }) =>
            sums.map(({ positions, open, unrealized, realized }) => ({ positions, open, unrealized, realized })),
          ),
        )
        assert.deepStrictEqual(priced, added, `round ${round}`)
      }
      assert.isAbove(open, 25)
      assert.isAbove(since, 10)
    }),
  )

  it.effect("are not taken from boards that are outdated, or where the cost of a position is unknown", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const [holder] = yield* postgres.sql<{ wallet: number }>`select wallet from position limit 1`
      const wallet = holder?.wallet ?? 0
      const query = { wallet, filter: {}, limit: 3, offset: 0, order: "asc", after: undefined } as const
      const read = fromBoards(postgres)
      assert.isDefined((yield* read(query, totalsOf(query.filter)))?.counted)
      yield* postgres.sql`update leaderboard_standing set partial = 1 where wallet = ${wallet}`
      assert.isUndefined(yield* read(query, totalsOf(query.filter)))
      yield* postgres.sql`update leaderboard_standing set partial = 0`
      yield* postgres.sql`update leaderboard_state set stale = true`
      assert.isUndefined((yield* read(query, totalsOf(query.filter)))?.counted)
    }),
  )

  it.effect("are those of the positions while boards count the tokens of a late resolution as open", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const { sql } = postgres
      const [held] = yield* sql<{ wallet: number; token: number; condition: number }>`
        select p.wallet, p.token, t.condition from position p join token t on t.id = p.token
        where p.shares > 0 and t.resolved_at is not null limit 1`
      const { wallet, token, condition } = held ?? assert.fail("nobody holds a resolved token")
      const read = walletPositionStore(postgres)
      const [query, openQuery] = [{}, { status: "open" }].map(
        (filter) => ({ wallet, filter, limit: 100, offset: 0, order: "asc", after: undefined }) as WalletQuery,
      )
      yield* sql`update token set condition = null where id = ${token}`
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      assert.include(
        (yield* sql`select token from leaderboard_open where wallet = ${wallet}`).map(({ token }) => token),
        token,
      )
      yield* sql`update token set condition = ${condition} where id = ${token}`
      for (const each of [query, openQuery]) {
        assert.isDefined(each)
        assert.deepStrictEqual(yield* read(each), (yield* fromPositions(postgres)(each, tradePrices)).page)
      }
    }),
  )

  it.effect("with a tag are those of the positions while the boards do not know the tags of a wallet's tokens", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const { sql } = postgres
      yield* sql`update leaderboard_state set stale = true`
      yield* refreshLeaderboards
      const [held] = yield* sql<{ wallet: number; event: number }>`
        select p.wallet, t.event from position p join token t on t.id = p.token where t.event is not null limit 1`
      const { wallet, event } = held ?? assert.fail("nobody holds a listed token")
      const query: WalletQuery = {
        wallet,
        filter: { tagSlug: "new" },
        limit: 2,
        offset: 0,
        order: "asc",
        after: undefined,
      }
      const [read, short] = [enough, 1].map((rescoped) => fromBoards(postgres, { smallShare: 0, rescoped }))
      const [known, answer] = [totalsOf(query.filter), walletPositionStore(postgres)]
      const counted = (reader: typeof read) =>
        Effect.map(reader?.(query, known) ?? Effect.undefined, (found) => found?.page)
      const expected = Effect.map(fromPositions(postgres)(query, tradePrices), ({ page }) => page)
      assert.strictEqual((yield* counted(read))?.totals.positions, 0)

      yield* sql`update event set tags = '["new"]' where id = ${event}`
      assert.isAbove((yield* expected).totals.positions, 0)
      assert.isUndefined(yield* counted(read))
      assert.deepStrictEqual(yield* answer(query), yield* expected)

      yield* refreshLeaderboards
      assert.deepStrictEqual(yield* counted(read), yield* expected)
      const next = { ...query, after: (yield* expected).shown[0]?.tokenId }
      assert.deepStrictEqual(yield* answer(next), (yield* fromPositions(postgres)(next, tradePrices)).page)

      // Of a condition that the wallet has nothing of.
      yield* sql`insert into leaderboard_rescoped (condition) values (-1)`
      assert.deepStrictEqual(yield* counted(read), yield* expected)
      assert.isUndefined(yield* counted(short))
    }),
  )
})
