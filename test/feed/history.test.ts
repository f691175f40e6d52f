import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { missingFacets } from "#src/feed/filters/missingFacets.ts"
import type { FeedMessage } from "#src/feed/model.ts"
import { legHex } from "#src/simulator/chain/ids.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { stepsOf } from "#test/support/comboSteps.ts"
import { runningVenue } from "#test/support/venue.ts"
import { allEntries, linesOf, messagesOf, stores } from "./support/rendered.ts"
import { venueTruth } from "./support/venueTruth.ts"

const tradeFields = ["tx_hash", "maker", "taker", "token_id", "side", "maker_amount", "taker_amount"]
const isSoak = process.env.PRESAGE_SOAK === "1"
const pairFields = ["tx_hash", "stakeholder", "condition_id", "amount"]

/** Within half of the last decimal. */
const isPriceOf = ({ price, shares }: FeedMessage["data"], trade: FeedMessage["data"] | undefined) => {
  const usd = trade?.[trade["side"] === "BUY" ? "maker_amount" : "taker_amount"]
  const scaled = BigInt(Math.round(Number(price) * 1_000_000)) * BigInt(Number(shares))
  const off = 2n * (scaled - BigInt(String(usd)) * 1_000_000n)
  return (off < 0n ? -off : off) <= BigInt(Number(shares))
}

layer(stores(), { excludeTestServices: true })("Feed of a venue's history", (it) => {
  it.effect("renders everything that the venue did, exactly once", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(55, { scale: isSoak ? "tiny" : "brief" })
      simulation.settle()
      yield* Effect.gen(function* () {
        yield* caughtUp(simulation, yield* startFollower)
        const entries = yield* allEntries
        const truth = venueTruth(simulation)
        for (const { type, facets } of entries.flatMap(({ messages }) => messages)) {
          const wrong = missingFacets[type]?.filter((name) => facets[name] !== undefined && String(facets[name]) !== "")
          assert.deepStrictEqual(wrong ?? [], [], type)
        }

        assert.deepStrictEqual(linesOf(entries, "trade", ...tradeFields), truth.fills)
        const flatTrades = messagesOf(entries, "trade")
        const fills = messagesOf(entries, "fill")
        const exchanges = new Set(truth.acts(TxKind.match).map((act) => simulation.logs.exchangeOf(act).address))
        assert.strictEqual(fills.length, flatTrades.length)
        for (const [place, { data, facets, seq }] of fills.entries()) {
          const trade = flatTrades[place]
          assert.deepStrictEqual(
            [seq, data["user"], data["taker"], data["tx_hash"], data["log_index"], data["shares_normalized"]],
            [trade?.seq, ...["maker", "taker", "tx_hash", "log_index", "size"].map((name) => trade?.data[name])],
          )
          assert.strictEqual(Object.keys(data).length, 16)
          assert.isTrue(isPriceOf(data, trade?.data), `${data["price"]}`)
          assert.strictEqual(facets.onlyForWallet, exchanges.has(String(data["taker"])))
          assert.deepStrictEqual(facets.wallets, [String(data["user"])])
        }

        assert.deepStrictEqual(linesOf(entries, "position_split", ...pairFields), truth.splits)
        assert.deepStrictEqual(linesOf(entries, "position_merge", ...pairFields), truth.merges)
        const conversion = ["tx_hash", "stakeholder", "market_id", "index_set", "amount"]
        assert.deepStrictEqual(linesOf(entries, "positions_converted", ...conversion), truth.conversions)
        const transfer = ["tx_hash", "from", "to", "token_id", "amount", "transfer_type"]
        assert.deepStrictEqual(linesOf(entries, "position_change", ...transfer), truth.transfers)
        assert.deepStrictEqual(linesOf(entries, "oracle", "tx_hash", "condition_id"), truth.resolutions)
        assert.deepStrictEqual(linesOf(entries, "deposit", "tx_hash", "direction", "amount"), truth.flows)
        const redemptions = messagesOf(entries, "redemption")
        assert.strictEqual(
          redemptions.reduce((sum, { data }) => sum + Number(data["payout_e6"]), 0),
          truth.payouts,
        )
        assert.deepStrictEqual(
          [truth.splits, truth.merges, truth.conversions, truth.transfers].map(({ length }) => length > 0),
          [true, true, true, true],
        )

        const combos = simulation.model.world.venue.markets.filter(({ isCombo }) => isCombo)
        const prepared = messagesOf(entries, "combo_lifecycle").filter(({ data }) => data["action"] === "Prepare")
        assert.deepStrictEqual(
          prepared.map(({ data }) => [data["combo_condition_id"], data["leg_position_ids"]]),
          combos.map(({ conditionId, legs = [] }) => [
            conditionId,
            legs.map((leg) => BigInt(`0x${legHex(leg)}`).toString()),
          ]),
        )
        const { facts, venue } = simulation.model.world
        const comboActs = (kind: number) => truth.acts(kind).filter((act) => truth.market(act)?.isCombo)
        const changed = truth.acts(TxKind.combo).flatMap((act) => stepsOf(facts, act))
        const ofChange = (...operations: ReadonlyArray<string>) =>
          truth.acts(TxKind.combo).flatMap((act) =>
            stepsOf(facts, act)
              .filter(({ operation }) => operations.includes(operation))
              .map(() => act),
          )
        const lifecycle = messagesOf(entries, "combo_lifecycle")
        for (const [action, acts] of [
          ["Redeem", comboActs(TxKind.redeem)],
          ["Split", [...comboActs(TxKind.split), ...ofChange("split", "split_collateral")]],
          ["Merge", [...comboActs(TxKind.merge), ...ofChange("merge", "merge_collateral")]],
          ["Extract", ofChange("extract")],
          ["Inject", ofChange("inject")],
          ["Wrap", ofChange("wrap")],
          ["Unwrap", ofChange("unwrap")],
          ["Compress", ofChange("compress")],
          ["ConvertToYesBasket", ofChange("convert_to_yes_basket")],
          ["MergeFromYesBasket", ofChange("merge_from_yes_basket")],
        ] as const) {
          const reported = lifecycle.filter(({ data }) => data["action"] === action)
          assert.deepStrictEqual(
            new Set(reported.map(({ data }) => data["tx_hash"])),
            new Set(acts.map(truth.tx)),
            action,
          )
          // A redemption has a log for each outcome.
          if (action !== "Redeem") assert.strictEqual(reported.length, acts.length, action)
        }
        assert.isAbove(new Set(changed.map(({ operation }) => operation)).size, 8)
        assert.isTrue(truth.acts(TxKind.combo).some((act) => stepsOf(facts, act).length > 1))
        const idsOf = (tokens: ReadonlyArray<number>) => tokens.map((index) => venue.tokens[index]?.id)
        const byTx = new Map(lifecycle.map((message) => [message.data["tx_hash"], message.data]))
        for (const act of ofChange("compress")) {
          const { given = [], received = [] } = stepsOf(facts, act)[0] ?? {}
          const [from, to] = [given, received].map(([index = -1]) => venue.tokens[index]?.market)
          const kept = new Set(to?.legs?.map(({ market }) => market))
          assert.deepInclude(byTx.get(truth.tx(act)), {
            source_position_ids: idsOf(given),
            destination_position_ids: idsOf(received),
            amount_e6: facts.amount.get(act),
            payout_e6: facts.extra.get(act) === 0 ? null : facts.extra.get(act),
            combo_condition_id: from?.conditionId,
            remaining_combo_condition_id: to?.conditionId,
            removed_leg_position_ids: from?.legs
              ?.filter(({ market }) => !kept.has(market))
              .map((leg) => BigInt(`0x${legHex(leg)}`).toString()),
          })
        }
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})
