import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"

const server = ApiServer.pipe(
  Layer.provideMerge(Layer.merge(serving, ledger)),
  Layer.provideMerge(
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "sim.port": "1",
      "ledger.history-order": "newest-first",
      "ledger.history": "none",
    }),
  ),
)

const isSoak = process.env.PRESAGE_SOAK === "1"

/** A wallet with positions of both kinds. */
const mixedWallet = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [found] = yield* sql<{ wallet: string }>`
    select '0x' || encode(w.address, 'hex') as wallet from position p join wallet w on w.id = p.wallet
    group by w.address having bool_or(p.partial and p.shares > 0) and bool_or(not p.partial)
    order by w.address limit 1`
  return found?.wallet ?? assert.fail("no wallet has positions of both kinds")
})

layer(server, { excludeTestServices: true })("answers from a ledger without history", (it) => {
  it.effect("say what they cover, and which costs are unknown", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(93, { rate: 10 })
      simulation.settle()
      yield* Effect.gen(function* () {
        const following = yield* startFollower
        yield* caughtUp(simulation, following)
        simulation.advance(isSoak ? 200_000 : 80_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
      }).pipe(Effect.provide(nodeAt(url)), Effect.scoped)
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")

      const { sql } = yield* Postgres
      const [cursor] = yield* sql<{ started_from: number; at: Date }>`
        select started_from, positions_since as at from chain_cursor, ledger_coverage`
      const coverage = {
        from_block: cursor?.started_from,
        from_time: Math.floor((cursor?.at.getTime() ?? 0) / 1000),
        complete: false,
      }
      const { key } = yield* keyOf("enterprise")
      const wallet = yield* mixedWallet
      const paths = [
        `/v2/wallets/${wallet}/positions/onchain`,
        `/v2/wallets/${wallet}/closed-positions`,
        `/v2/onchain/positions?wallet=${wallet}`,
        `/v3/wallets/${wallet}/positions`,
        "/v3/positions",
        "/v3/leaderboard",
        `/v2/copy-pnl/leaderboard`,
      ]
      for (const path of paths) {
        const { status, json, text } = yield* askWith(key, path)
        assert.strictEqual(status, 200, `${path}: ${text}`)
        assert.deepStrictEqual(json.coverage, coverage, path)
      }
      const { json: overview } = yield* askWith(key, "/v1/status")
      assert.deepStrictEqual(overview.coverage, { facts: coverage, positions: coverage })

      const { json } = yield* askWith(key, paths[0] as string)
      const unknown = json.positions.filter(({ basis }: { basis: string }) => basis === "unknown")
      const known = json.positions.filter(({ basis }: { basis: string }) => basis === "known")
      assert.isAbove(unknown.length, 0)
      assert.isAbove(known.length, 0)
      for (const position of unknown) {
        assert.deepInclude(position, { avg_price: null, realized_pnl: null, unrealized_pnl: null })
      }
      for (const position of known) assert.isNumber(position.realized_pnl)

      const { json: page } = yield* askWith(
        key,
        `/v3/wallets/${wallet}/positions?sort=avg_price&include_combos=true&limit=300`,
      )
      const rows = new Map(page.positions.map((row: { token_id: string }) => [row.token_id, row]))
      for (const { token_id } of unknown.slice(0, 8)) {
        const nothing = { avg_price: null, realized_pnl: null, unrealized_pnl: null, total_pnl: null }
        assert.deepInclude(rows.get(token_id), { ...nothing, initial_value: null, basis: "unknown" })
        const { json: holders } = yield* askWith(key, `/v3/markets/${token_id}/positions?limit=300`)
        const own = holders.data.find(({ user }: { user: string }) => user === wallet)
        assert.deepInclude(own, { ...nothing, basis: "unknown" })
      }
      const averages: ReadonlyArray<number> = page.positions.map(
        (row: { avg_price: number | null }) => row.avg_price ?? 0,
      )
      assert.deepStrictEqual(
        averages,
        averages.toSorted((a, b) => b - a),
      )
    }),
  )
})
