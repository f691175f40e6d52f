import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { referenceBoards } from "#test/leaderboards/support/referenceBoards.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { type Booked, bookedPositions, combosOf, summaryShown } from "#test/wallets/support/books.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { ledgerServer } from "./support/ledgerServer.ts"

const server = (seed: number) => ledgerServer({ "leaderboards.look": "0ms" }, followedHistory(seed))

const isSoak = process.env.PRESAGE_SOAK === "1"

type Json = Readonly<Record<string, unknown>>

const pick = (row: Json, names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, row[name]]))

/** Summaries of wallets, in batches. */
const summaries = Effect.fnUntraced(function* (key: string, wallets: ReadonlyArray<string>) {
  const rows: Array<Json> = []
  for (let from = 0; from < wallets.length; from += 100) {
    const some = wallets.slice(from, from + 100)
    const answer = yield* askWith(key, "/v3/wallets/batch", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ wallets: some }),
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(
      answer.json.wallets.map(({ wallet }: { wallet: string }) => wallet),
      some,
    )
    assert.strictEqual(answer.json.count, some.length)
    rows.push(...answer.json.wallets)
  }
  return rows
})

const names = Object.keys(summaryShown([]))

/** Sums over the current positions, one after the other. */
const sumsInLedger = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ wallet: string; realized: bigint; profit: bigint; volume: bigint; open: boolean }>`
    select '0x' || encode(w.address, 'hex') as wallet, p.realized, p.profit, p.volume,
      p.shares > 0 and not exists (
        select from token t join resolution r on r.condition = t.condition where t.id = p.token) as open
    from position p join wallet w on w.id = p.wallet`
  const sums = [...Map.groupBy(rows, ({ wallet }) => wallet)].map(([wallet, positions]) => {
    const sum = (read: (row: (typeof rows)[number]) => bigint) =>
      Number(positions.reduce((all, row) => all + read(row), 0n)) / 1e6
    return {
      wallet,
      net_realized_pnl: sum(({ realized }) => realized),
      gross_profit: sum(({ profit }) => profit),
      total_volume: sum(({ volume }) => volume),
      position_count: positions.length,
      open_positions: positions.filter(({ open }) => open).length,
    }
  })
  return sums.toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1))
})

const assertLedgerSums = Effect.fnUntraced(function* (key: string, when: string) {
  const due = yield* sumsInLedger
  const rows = yield* summaries(
    key,
    due.map(({ wallet }) => wallet),
  )
  assert.deepStrictEqual(
    rows.map((row) => pick(row, Object.keys(due[0] ?? {}))),
    due,
    when,
  )
})

const assertBooks = Effect.fnUntraced(function* (
  key: string,
  books: ReadonlyMap<string, ReadonlyArray<Booked>>,
  when: string,
) {
  const rows = yield* summaries(key, [...books.keys()])
  for (const [i, [wallet, positions]] of [...books].entries()) {
    assert.deepStrictEqual(pick(rows[i] ?? {}, names), summaryShown(positions), `${when}: ${wallet}`)
  }
})

/** Every row of the all-time leaderboard is the wallet's summary. */
const assertLeaderboard = Effect.fnUntraced(function* (key: string) {
  const { board } = yield* referenceBoards
  const due = board(undefined, undefined).length
  const ranks: Array<Json> = []
  for (let more = true; more; ) {
    const { json } = yield* askWith(key, `/v3/leaderboard?offset=${ranks.length}`)
    ranks.push(...json.leaderboard)
    more = json.has_more
  }
  assert.strictEqual(ranks.length, due)
  const rows = yield* summaries(
    key,
    ranks.map(({ wallet }) => String(wallet)),
  )
  for (const [i, { rank, ...row }] of ranks.entries()) {
    assert.deepStrictEqual(pick(rows[i] ?? {}, Object.keys(row)), row, `rank ${rank}`)
  }
})

for (const seed of isSoak ? [71, 72, 73] : [71]) {
  layer(server(seed), { excludeTestServices: true })(`Summaries of the wallets of world ${seed}`, (it) => {
    it.effect("are the sums of their positions and the rows of the leaderboard, through reorganisations", () =>
      Effect.gen(function* () {
        const { url, simulation, upstreams } = yield* followedVenue(seed, { rate: isSoak ? 20 : 8 })
        const { key } = yield* keyOf("enterprise")
        yield* Effect.gen(function* () {
          const { sql, tx } = yield* Postgres
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          yield* Effect.provide(
            Effect.flatMap(catalogueLoader(tx), ({ mentionedTokens }) => mentionedTokens),
            upstreams,
          )
          yield* assertLedgerSums(key, "without boards")
          assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
          yield* assertLedgerSums(key, "with boards")
          simulation.advance(20_000)
          yield* caughtUp(simulation, following)
          yield* assertLedgerSums(key, "boards behind the ledger")
          yield* sql`update leaderboard_state set stale = true`
          yield* assertLedgerSums(key, "stale boards")
          yield* refreshLeaderboards
          simulation.reorg(8)
          simulation.advance(10_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          const [noted] = yield* sql<{ n: number }>`select count(*)::int as n from leaderboard_retracted_position`
          assert.isAbove(noted?.n ?? 0, 0)
          const books = yield* bookedPositions(simulation)
          yield* sql`create table removed as select * from position_undo`
          yield* sql`delete from position_undo`
          yield* assertBooks(key, books, "without undo records")
          yield* sql`insert into position_undo select * from removed`
          yield* assertBooks(key, books, "after a reorganisation that the boards have not seen")
          yield* refreshLeaderboards
          yield* assertBooks(key, books, "after the refresh")
          yield* assertLeaderboard(key)

          const withCombos = [...books.values()].filter((positions) => combosOf(positions).length > 0)
          assert.isAbove(withCombos.length, 0)
          for (const positions of withCombos.slice(0, 10)) {
            const wallet = positions[0]?.wallet ?? ""
            const { json, headers } = yield* askWith(
              key,
              `/v3/wallets/${wallet.toUpperCase().replace("X", "x")}?include_combos=true`,
            )
            assert.deepStrictEqual(pick(json, ["address", ...names]), { address: wallet, ...summaryShown(positions) })
            const combos = summaryShown(combosOf(positions))
            assert.deepStrictEqual(json.combo_pnl, {
              position_type: "combo",
              included: true,
              ...pick(combos, ["realized_pnl", "unrealized_pnl", "total_pnl", "position_count", "open_positions"]),
            })
            assert.deepStrictEqual(json.included_position_types, ["market", "combo"])
            assert.strictEqual(json.as_of.block_number, simulation.head)
            assert.isTrue(json.coverage.complete)
            assert.match(String(headers["x-data-age-ms"]), /^\d+$/)
          }
        }).pipe(Effect.provide(nodeAt(url)), Effect.scoped)
      }),
    )

    it.effect("are zeros for a wallet that never traded, and refuse what they cannot answer", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        const nobody = `0x${"e".repeat(40)}`
        const { json } = yield* askWith(key, `/v3/wallets/${nobody}`)
        assert.deepStrictEqual(pick(json, names), summaryShown([]))
        assert.notProperty(json, "combo_pnl")
        const twice = yield* summaries(key, [nobody, nobody])
        assert.deepStrictEqual(
          twice.map((row) => pick(row, names)),
          [summaryShown([]), summaryShown([])],
        )
        const post = (body: string) =>
          askWith(key, "/v3/wallets/batch", { method: "POST", headers: { "content-type": "application/json" }, body })
        const refused = [
          ["{}", "wallets", /required/],
          ['{"wallets":[]}', "wallets", /at least one/],
          [JSON.stringify({ wallets: Array(101).fill(nobody) }), "wallets", /at most 100/],
          [JSON.stringify({ wallets: [nobody, "0x12"] }), "wallets.1", /40 hexadecimal digits/],
          [JSON.stringify({ wallets: [nobody, 7] }), "wallets.1", /wallets.1/],
          [JSON.stringify({ wallets: nobody }), "wallets", /wallets/],
          [JSON.stringify({ wallets: [nobody], limit: 1 }), "limit", /limit/],
        ] as const
        for (const [body, field, message] of refused) {
          const answer = yield* post(body)
          assert.strictEqual(answer.status, 400, `${body.slice(0, 80)}: ${answer.text}`)
          assert.strictEqual(answer.json.field, field, answer.text)
          assert.match(answer.json.error, message)
        }
        assert.strictEqual((yield* post("[")).status, 400)
        assert.strictEqual((yield* askWith(key, "/v3/wallets/0x12")).status, 400)
        assert.match((yield* askWith(key, `/v3/wallets/${nobody}?include_combos=maybe`)).text, /true.*false/)
        const { key: free } = yield* keyOf("free")
        assert.strictEqual((yield* askWith(free, `/v3/wallets/${nobody}`)).status, 402)
      }),
    )
  })
}
