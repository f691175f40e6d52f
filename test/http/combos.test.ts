import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkComboActs } from "#src/repair/verify/comboActs.ts"
import { verifyLedger, verifyOnly } from "#src/repair/verify.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market } from "#src/simulator/world/Venue.ts"
import { bookedPositions, combosOf, summaryShown } from "#test/wallets/support/books.ts"
import { ask, everyRow } from "./support/comboPages.ts"
import {
  busiest,
  expectedEvent,
  expectedTrade,
  legIds,
  legStatus,
  micro,
  shownEvent,
  shownTrade,
  volumeOf,
} from "./support/comparedCombos.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"
import { type TrueComboAct, trueCombos } from "./support/trueCombos.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
type Json = any

const isSoak = process.env.PRESAGE_SOAK === "1"

const seed = 71
const server = livedServer(seed, { "leaderboards.look": "0ms" })

layer(server, { excludeTestServices: true })("Combos", (it) => {
  let world: Simulation
  let truth: ReadonlyArray<TrueComboAct> = []

  it.effect("have all that the venue's books have, through reorganisations, in order, whatever the page", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      world = yield* livedWorld(seed)
      const checks = yield* verifyLedger
      assert.deepInclude(
        checks.find(({ check }) => check === "combo-acts"),
        { ok: true },
      )
      truth = trueCombos(world)
      const dice = new Dice(seed)
      const once = truth.filter(({ kind, isOwn }) => kind !== "transfer_in" && isOwn !== true)
      const all = yield* everyRow(key, "/v3/combos/activity", "activity", dice)
      assert.deepStrictEqual(all.map(shownEvent), once.map(expectedEvent(false)))
      for (const kind of new Set(once.map((act) => act.kind.replace(/_(in|out)$/, "")))) {
        const rows = yield* everyRow(key, `/v3/combos/activity?event_kind=${kind}`, "activity", dice)
        const expected = once.filter((act) => act.kind.replace(/_(in|out)$/, "") === kind)
        assert.deepStrictEqual(rows.map(shownEvent), expected.map(expectedEvent(false)), kind)
      }
      const wallets = busiest(truth)
      for (const { wallet, own } of isSoak ? [...wallets.slice(0, 4), ...wallets.slice(-4)] : wallets.slice(0, 3)) {
        const path = `/v3/wallets/${wallet}/combos`
        const rows = yield* everyRow(key, `${path}/activity`, "activity", dice)
        assert.deepStrictEqual(rows.map(shownEvent), own.map(expectedEvent(true)), wallet)
        const executions = own.filter(({ kind }) => kind === "execution")
        const trades = yield* everyRow(key, `${path}/trades`, "trades", dice)
        assert.deepStrictEqual(trades.map(shownTrade), executions.map(expectedTrade), wallet)
        const sales = yield* everyRow(key, `${path}/trades?side=sell`, "trades", dice)
        assert.deepStrictEqual(sales.map(shownTrade), executions.filter((each) => each.isSale).map(expectedTrade))
      }
      const combo = once.find(({ kind }) => kind === "execution")?.market ?? assert.fail("no combo was traded")
      const own = once.filter((act) => act.market === combo || act.others?.includes(combo))
      const ofCombo = yield* everyRow(key, `/v3/combos/activity?condition_id=${combo.conditionId}`, "activity", dice)
      assert.deepStrictEqual(
        ofCombo.map((row) => [row.tx_hash, row.event_kind]),
        own.map(({ tx, kind }) => [tx, kind.replace(/_(in|out)$/, "")]),
      )
    }),
  )

  it.effect("are listed with their legs, and with how much happened to them", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const prepared = truth.filter(({ kind }) => kind === "prepare")
      const of = Map.groupBy(
        truth.flatMap((act) => [act.market, ...(act.others ?? [])].map((market) => ({ market, act }))),
        ({ market }) => market,
      )
      const count = (market: Market, is: (act: TrueComboAct) => boolean) =>
        (of.get(market) ?? []).filter(({ act }) => is(act)).length
      const isTransfer = ({ kind }: TrueComboAct) => kind.startsWith("transfer")
      const expected = prepared.map(({ market, at, block }) => {
        const { payouts } = market
        const own = (of.get(market) ?? []).map(({ act }) => act)
        return {
          combo_condition_id: market.conditionId,
          module_name: "combinatorial",
          status: payouts === undefined ? "open" : "resolved",
          winning_outcome:
            payouts === undefined || (payouts[0] > 0 && payouts[1] > 0) ? null : payouts[0] > 0 ? "YES" : "NO",
          observed_execution_count: count(market, ({ isOwn }) => isOwn === true),
          observed_lifecycle_count: count(market, (act) => act.kind !== "execution" && !isTransfer(act)),
          observed_redeem_count: count(market, ({ kind }) => kind === "redeem"),
          observed_transfer_count: count(market, ({ kind }) => kind === "transfer_out"),
          volume_usdc: micro(volumeOf(own.filter(({ kind }) => kind === "execution"))),
          created_at: String(at),
          last_activity_at: String(Math.max(...own.map((act) => act.at))),
          legs: (market.legs ?? []).map((leg, leg_index) => ({
            leg_index,
            leg_position_id: legIds(market)[leg_index],
            leg_status: legStatus(leg),
          })),
          block,
        }
      })
      const shown = (row: Json) => ({
        ...Object.fromEntries(
          Object.keys(expected[0] ?? {})
            .filter((name) => name !== "block")
            .map((name) => [name, row[name]]),
        ),
        legs: row.legs.map(({ leg_index, leg_position_id, leg_status }: Json) => ({
          leg_index,
          leg_position_id,
          leg_status,
        })),
      })
      const without = expected.map(({ block: _, ...row }) => row)
      const dice = new Dice(1)
      assert.isAbove(expected.length, 5)
      // Volumes are the same whether rollups count their blocks or not.
      for (const round of ["before", "after"]) {
        const rows = yield* everyRow(key, "/v3/combos/markets", "markets", dice)
        assert.deepStrictEqual(rows.map(shown), without, `${round} rollups`)
        if (round === "before") yield* advanceRollups
      }
      for (const status of ["open", "resolved"]) {
        const rows = yield* everyRow(key, `/v3/combos/markets?status=${status}`, "markets", dice)
        assert.deepStrictEqual(
          rows.map(shown),
          without.filter((row) => row.status === status),
          status,
        )
      }
      const [first] = expected
      const one = yield* ask(key, `/v3/combos/markets?market_id=${first?.combo_condition_id}`)
      assert.lengthOf(one.markets, 1)
      const listed = yield* everyRow(key, "/v3/combos/markets", "markets", dice)
      const leg = listed.flatMap((row) => row.legs).find(({ market }: Json) => market !== null)
      assert.isString(leg?.market_slug)
      assert.match(leg?.leg_current_price ?? "", /^[01](\.\d+)?$/)
    }),
  )

  it.effect("of a wallet have the cost and P&L of the venue's books", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const books = yield* bookedPositions(world)
      const wallets = busiest(truth).map(({ wallet }) => wallet)
      let compared = 0
      for (const wallet of [...wallets.slice(0, 6), ...wallets.slice(-6)]) {
        const own = combosOf(books.get(wallet) ?? [])
        const rows = yield* everyRow(key, `/v3/wallets/${wallet}/combos/positions`, "positions", new Dice(7))
        const byToken = new Map(rows.map((row) => [row.combo_position_id, row]))
        assert.strictEqual(rows.length, own.length, wallet)
        for (const position of own) {
          const row = byToken.get(position.token.id)
          assert.deepInclude(row, {
            position_type: "combo",
            wallet_address: wallet,
            combo_condition_id: position.token.market.conditionId,
            shares_balance: micro(position.shares),
            entry_cost_usdc: position.isOpen ? micro(position.cost) : null,
            realized_pnl_usdc: micro(position.realized),
            total_pnl_usdc: micro(position.realized + position.unrealized),
            market: position.legs,
            legs_total: position.token.market.legs?.length,
          })
          assert.deepStrictEqual(
            row.legs.map((leg: Json) => leg.leg_status),
            position.token.market.legs?.map(legStatus),
          )
        }
        const open = yield* everyRow(
          key,
          `/v3/wallets/${wallet}/combos/positions?status=open`,
          "positions",
          new Dice(8),
        )
        assert.strictEqual(open.length, own.filter(({ isOpen }) => isOpen).length)
        const sums = summaryShown(own)
        const { summary } = yield* ask(key, `/v3/wallets/${wallet}/combos/summary`)
        const acts = truth.filter((act) => act.wallet === wallet)
        assert.deepInclude(summary, {
          wallet_address: wallet,
          open_combo_count: sums.open_positions,
          closed_combo_count: sums.position_count - sums.open_positions,
          balance_count: own.filter(({ shares }) => shares > 0).length,
          realized_pnl_usdc: String(sums.realized_pnl),
          total_pnl_usdc: String(sums.total_pnl),
          last_activity_at: String(Math.max(...acts.map(({ at }) => at))),
        })
        const whole = yield* ask(key, `/v3/wallets/${wallet}?include_combos=true`)
        assert.deepInclude(whole.combo_pnl, {
          realized_pnl: sums.realized_pnl,
          unrealized_pnl: sums.unrealized_pnl,
          position_count: sums.position_count,
          open_positions: sums.open_positions,
        })
        const trades = yield* ask(key, `/v3/wallets/${wallet}/trades?include_combos=true&limit=5`)
        const executions = acts.filter(({ kind }) => kind === "execution")
        assert.deepStrictEqual(trades.combo_trades.map(shownTrade), executions.slice(0, 5).map(expectedTrade))
        for (const { source } of trades.combo_trades) assert.strictEqual(source, "onchain")
        const behind = `/v3/wallets/${wallet}/trades?include_combos=true&limit=5&cursor=${trades.next_cursor}`
        if (trades.next_cursor !== null) assert.notProperty(yield* ask(key, behind), "combo_trades")
        assert.deepInclude(trades, { include_combos: true, combo_has_more: executions.length > 5 })
        compared += own.length
      }
      assert.isAbove(compared, 10)
    }),
  )

  it.effect("that were redeemed name the legs that were removed and what remains", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const isRedemption = ({ kind }: TrueComboAct) => kind === "redeem" || kind === "compress"
      const expected = truth.filter(isRedemption)
      assert.isNotEmpty(expected)
      const row = ({ tx, at, wallet, kind, token, shares, usd, received, created }: TrueComboAct) => {
        const legs = token?.market.legs ?? []
        const [rest] = received ?? []
        const kept = rest?.market.legs ?? []
        return [
          [tx, at, wallet, kind, token?.id, micro(shares), micro(usd)],
          [kind === "redeem" ? "full" : "partial", kind === "redeem" ? "terminal" : "reduction", usd > 0],
          [legs.length, legs.length - kept.length, kept.length, `${legs.length}->${kept.length}`],
          rest === undefined ? null : [rest.market.conditionId, rest.id, micro(created ?? 0)],
        ]
      }
      const shown = (each: Json) => [
        [
          each.tx_hash,
          each.timestamp,
          each.wallet_address,
          each.event_kind,
          each.combo_position_id,
          each.amount_usdc,
          each.payout_usdc,
        ],
        [each.redemption_scope, each.redemption_type, each.has_collateral_payout],
        [each.source_leg_count, each.removed_leg_count, each.remaining_leg_count, each.leg_transition],
        each.remaining_combo === null
          ? null
          : [
              each.remaining_combo.combo_condition_id,
              each.remaining_combo.combo_position_id,
              each.remaining_combo.shares_created,
            ],
      ]
      const rows = yield* everyRow(key, "/v3/combos/redemptions", "redemptions", new Dice(3))
      assert.deepStrictEqual(rows.map(shown), expected.map(row))
      const full = yield* everyRow(key, "/v3/combos/redemptions?redemption_scope=full", "redemptions", new Dice(4))
      assert.deepStrictEqual(full.map(shown), expected.filter(({ kind }) => kind === "redeem").map(row))
      const some = expected[Math.floor(expected.length / 2)] ?? assert.fail()
      const one = yield* ask(key, `/v3/wallets/${some.wallet}/combos/redemptions?tx_hash=${some.tx}`)
      assert.deepStrictEqual(one.redemptions.map(shown), expected.filter(({ tx }) => tx === some.tx).map(row))
      const since = yield* everyRow(
        key,
        `/v3/wallets/${some.wallet}/combos/redemptions?after=${some.at}`,
        "redemptions",
        new Dice(5),
      )
      assert.deepStrictEqual(
        since.map(shown),
        expected.filter(({ wallet, at }) => wallet === some.wallet && at >= some.at).map(row),
      )
    }),
  )

  it.effect("rank wallets by what they earned with them", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
      const books = yield* bookedPositions(world)
      const expected = [...books]
        .map(([wallet, all]) => ({ wallet, own: combosOf(all) }))
        .filter(({ own }) => own.length > 0)
        .map(({ wallet, own }) => ({ wallet, ...summaryShown(own) }))
        .sort((a, b) => b.realized_pnl - a.realized_pnl || (a.wallet < b.wallet ? -1 : 1))
      const board = yield* ask(key, "/v3/combos/leaderboard?limit=20")
      assert.deepStrictEqual(
        board.leaderboard.map((row: Json) => [row.rank, row.wallet, row.realized_pnl, row.total_volume]),
        expected.slice(0, 20).map((row, i) => [i + 1, row.wallet, row.realized_pnl, row.total_volume]),
      )
      const second = yield* ask(key, "/v3/combos/leaderboard?limit=3&offset=2&sort=volume")
      const byVolume = expected.toSorted((a, b) => b.total_volume - a.total_volume || (a.wallet < b.wallet ? -1 : 1))
      assert.deepStrictEqual(
        second.leaderboard.map((row: Json) => row.wallet),
        byVolume.slice(2, 5).map(({ wallet }) => wallet),
      )
    }),
  )

  it.effect("are verified against the facts", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const failing = Effect.map(verifyOnly(checkComboActs), (checks) =>
        checks.flatMap(({ check, ok }) => (ok ? [] : [check])),
      )
      assert.notInclude(yield* failing, "combo-acts")
      yield* sql`delete from combo_act where (block, log_index) = (select block, log_index from combo_act limit 1)`
      assert.include(yield* failing, "combo-acts")
    }),
  )

  it.effect("refuse what they cannot answer, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const nobody = `0x${"12".repeat(20)}`
      for (const [path, rowsKey] of [
        ["positions", "positions"],
        ["trades", "trades"],
        ["activity", "activity"],
        ["redemptions", "redemptions"],
      ] as const) {
        const json = yield* ask(key, `/v3/wallets/${nobody}/combos/${path}`)
        assert.deepInclude(json, { address: nobody, [rowsKey]: [], has_more: false })
      }
      const { summary } = yield* ask(key, `/v3/wallets/${nobody}/combos/summary`)
      assert.deepInclude(summary, { open_combo_count: 0, realized_pnl_usdc: "0", last_activity_at: null })

      const market = world.model.world.venue.markets.find(({ legs }) => legs === undefined)
      const combo = truth[0]?.market ?? assert.fail()
      const unknown = `0x03${"ab".repeat(30)}00`
      const other = truth.find((act) => act.market !== combo && act.token !== undefined)?.token?.id
      const refusals: ReadonlyArray<readonly [string, number, RegExp]> = [
        [`/v3/combos/markets?condition_id=${unknown}`, 404, /no combo with the condition_id/],
        [`/v3/combos/activity?market_id=${market?.conditionId}`, 404, /no combo with the market_id/],
        [`/v3/combos/redemptions?position_id=123`, 404, /no combo with the position_id/],
        [`/v3/wallets/${nobody}/combos/positions?condition_id=${unknown}`, 404, /no combo/],
        [`/v3/wallets/${nobody}/combos/trades?condition_id=${unknown}`, 404, /no combo/],
        [
          `/v3/combos/activity?condition_id=${combo.conditionId}&position_id=${other}`,
          400,
          /exclude each other: condition_id, position_id\./,
        ],
        [
          `/v3/combos/activity?market_id=${combo.conditionId}&position_id=${other}`,
          400,
          /other: market_id, position_id\./,
        ],
        [
          `/v3/combos/activity?condition_id=${combo.conditionId}&market_id=${unknown}`,
          400,
          /exclude each other: condition_id, market_id\./,
        ],
        ["/v3/combos/activity?event_kind=burn", 400, /compress/],
        [
          "/v3/combos/redemptions?redemption_scope=full&event_kind=compress",
          400,
          /exclude each other: event_kind, redemption_scope\./,
        ],
        [`/v3/combos/redemptions?tx_hash=0x${"0".repeat(64)}`, 400, /not enough/],
        ["/v3/combos/redemptions?after=1700000000000", 400, /milliseconds/],
        ["/v3/combos/markets?status=closed", 400, /resolved/],
        ["/v3/combos/markets?cursor=nonsense", 400, /cursor/],
        ["/v3/combos/leaderboard?period=2d", 400, /invalid_period/],
        ["/v3/wallets/0x12/combos/summary", 400, /address/],
      ]
      for (const [path, status, says] of refusals) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text, says, path)
      }
      const free = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free.key, "/v3/combos/markets")).status, 402)
      const csv = yield* askWith(key, "/v3/combos/redemptions?limit=2", { headers: { accept: "text/csv" } })
      assert.match(csv.text.split("\r\n")[0] ?? "", /^id,position_type,event_kind/)
    }),
  )
})
