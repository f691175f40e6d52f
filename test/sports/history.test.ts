import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { covers, readPoints } from "#src/sports/HistoryStore.ts"
import { tokenIdStore } from "#src/sports/TokenIdStore.ts"
import { livedServer, livedWorld } from "#test/http/support/livedWorld.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"

const priceOf = ({ usd, shares }: { readonly usd: bigint; readonly shares: bigint }) =>
  Math.min(1_000_000, Number((2n * 1_000_000n * usd + shares) / (2n * shares)))

layer(livedServer(71), { excludeTestServices: true })("Price histories of the ledger", (it) => {
  it.effect("have the price of the newest trade or, if that is later, the recorded one at every time", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      const { sql } = yield* Postgres
      const { fills } = yield* allFacts(simulation.head)
      const byToken = Map.groupBy(
        fills.filter(({ shares }) => shares > 0n),
        ({ token }) => token,
      )
      const to = Math.floor(simulation.now() / 1000)
      const window = { from: to - 40_000, to, step: 600 }
      const markets = yield* sql<{ token: string; market: number; outcome: number }>`
        select encode(t.hash, 'hex') as token, m.id as market, t.outcome::int as outcome
        from market m join token t on t.condition = m.condition`
      const listed = new Map(markets.map((row) => [BigInt(`0x${row.token}`).toString(), row]))
      const tokens = [...byToken]
        .sort(([, a], [, b]) => b.length - a.length)
        .flatMap(([token]) => {
          const row = listed.get(token)
          return row === undefined ? [] : [{ token, market: row.market, outcome: row.outcome }]
        })
        .slice(0, 6)
      assert.strictEqual(tokens.length, 6)
      // Recorded between two trades, and later than all of them.
      const recorded = { at: to - 9_000 }
      const first = tokens[0]
      assert.isDefined(first)
      yield* sql`delete from market_history`
      const prices = [123_456, 876_544]
      yield* sql`
        insert into market_history (market, at, prices)
        values (${first?.market ?? 0}, ${new Date(recorded.at * 1000)}, ${JSON.stringify(prices)}::jsonb)`

      const points = yield* readPoints(sql, tokens, window)
      for (const [i, { token, market, outcome }] of tokens.entries()) {
        const trades = (byToken.get(token) ?? []).toSorted(
          (a, b) => a.at.getTime() - b.at.getTime() || a.block - b.block || a.log_index - b.log_index,
        )
        const expected = []
        for (let at = window.from; at <= window.to; at += window.step) {
          const trade = trades.findLast((each) => each.at.getTime() <= at * 1000)
          const isRecorded =
            market === first?.market &&
            recorded.at <= at &&
            (trade === undefined || trade.at.getTime() < recorded.at * 1000)
          if (isRecorded) expected.push({ at, price: prices[outcome] })
          else if (trade !== undefined) expected.push({ at, price: priceOf(trade) })
        }
        assert.deepStrictEqual(points[i], expected, token)
      }
      assert.isTrue(points.some((each) => each.length > 10))

      assert.isTrue(yield* covers(sql, to - 3_600, to))
      assert.isFalse(yield* covers(sql, to - 3_600, to + 3_600), "the newest block is an hour too old")
    }),
  )

  it.effect("the tokens of a game's outcomes keep their places while another request empties what is kept", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const rows = yield* sql<{ id: number; hash: string }>`
        select id, encode(hash, 'hex') as hash from token order by id limit 5`
      const [first = -1, ...others] = rows.map(({ id }) => id)
      const [second = -1, ...last] = others
      const tokenIds = tokenIdStore(sql, 3)
      yield* tokenIds([first])
      const [tokenOf] = yield* Effect.all([tokenIds([first, second]), tokenIds(last)], { concurrency: 2 })
      assert.deepStrictEqual(
        [first, second].map((id) => BigInt(tokenOf(id)).toString(16).padStart(64, "0")),
        rows.slice(0, 2).map(({ hash }) => hash),
      )
      assert.throws(() => tokenOf(last[0] ?? -1), /no token/)
    }),
  )
})
