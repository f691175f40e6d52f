import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import type { FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Settlements } from "#src/settlements/Settlements.ts"
import { transactionOf } from "#src/simulator/chain/rpc/transactions.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import { readPending } from "#src/upstream/chain/pendingMatch.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { allEntries, lineOf, linesOf, messagesOf, stores } from "./support/rendered.ts"
import { venueTruth } from "./support/venueTruth.ts"

const flatFields = ["tx_hash", "user", "taker", "side", "token_id"]
const tradeFields = ["tx_hash", "maker", "taker", "token_id", "side", "maker_amount", "taker_amount"]
const internalKinds = new Set(["fee_charge", "fee_refund", "condition_rename"])

const approvalFields = ["tx_hash", "approval_type", "owner", "operator", "approved", "amount_e6", "target_role"]

/** Seqs that a reorganisation retracted. */
const retractedIn = (entries: ReadonlyArray<FeedEntry>) =>
  new Set(messagesOf(entries, "reorg").flatMap(({ data }) => data["retracted"] as ReadonlyArray<number>))

const confirmedFills = ({ data }: FeedMessage) => data["confirmed_fills"] as ReadonlyArray<FeedMessage["data"]> | null

const isPending = ({ facets }: FeedMessage) => facets.status === "pending"

/** Every match as a mempool would have shown it, once it is made. */
const seeMatches = Effect.fnUntraced(function* (simulation: Simulation, since: number) {
  const acts = venueTruth(simulation)
    .acts(TxKind.match)
    .filter((act) => act >= since && simulation.logs.exchangeOf(act).generation > 1)
  const sightings = acts.flatMap((act) => {
    const match = Result.getOrThrow(readPending(transactionOf(simulation, act)))
    return match === undefined ? [] : [{ match, at: simulation.now() }]
  })
  const lease = yield* (yield* Leases).seize("mempool")
  assert.strictEqual(yield* (yield* Settlements).write(lease, sightings), acts.length)
  return acts
})

/** Lists the markets of some matches and of the legs of their combos. */
const nameMarkets = Effect.fnUntraced(function* (simulation: Simulation, acts: ReadonlyArray<number>) {
  const { market } = venueTruth(simulation)
  const { tokens } = simulation.model.world.venue
  const markets = acts.flatMap((act) => market(act)?.legs?.map((leg) => leg.market) ?? market(act) ?? [])
  const { tx } = yield* Postgres
  const loader = yield* catalogueLoader(tx)
  yield* loader.ensureTokens(markets.flatMap((each) => each.tokens.map((token) => tokens[token]?.hex ?? "")))
})

/** One line per canonical block, with its content. */
const assertBlocks = (simulation: Simulation, reported: ReadonlyArray<FeedMessage>, from: number) => {
  const { facts } = simulation.model.world
  const expected = Array.from({ length: simulation.head - from + 1 }, (_, i) => {
    const number = from + i
    const [first, end] = simulation.chain.txRange(number)
    const acts = Array.from({ length: end - first }, (__, place) => first + place)
    const fills = acts.flatMap((act) =>
      Array.from({ length: facts.fillCount.get(act) }, (__, place) => facts.firstFill.get(act) + place),
    )
    const volume = fills.reduce((sum, fill) => (facts.taker.get(fill) < 0 ? sum : sum + facts.usd.get(fill)), 0)
    return [
      number,
      simulation.chain.hashOf(number),
      simulation.chain.hashOf(number - 1),
      simulation.model.world.clock.timestampOf(number),
      acts.length,
      acts.filter((act) => facts.kind.get(act) === TxKind.match).length,
      volume,
    ]
  })
  const fields = ["block_number", "block_hash", "parent_hash", "timestamp", "tx_count", "settlement_count"]
  assert.deepStrictEqual(
    reported
      .map(({ data }) => [
        ...fields.map((field) => data[field]),
        Math.round(Number(data["trade_volume_usd"]) * 1_000_000),
      ])
      .filter(([number]) => Number(number) >= from),
    expected,
  )
}

const isSoak = process.env.PRESAGE_SOAK === "1"

const seed = 71

layer(Settlements.layer.pipe(Layer.provideMerge(stores(followedHistory(seed)))), { excludeTestServices: true })(
  "The live feed",
  (it) => {
    it.effect("renders pending and confirmed matches, blocks, and retractions", () =>
      Effect.gen(function* () {
        const { url, simulation, upstreams } = yield* followedVenue(seed, { rate: 10 })
        const { facts } = simulation.model.world
        yield* Effect.gen(function* () {
          const first = yield* startFollower
          yield* caughtUp(simulation, first)
          yield* Fiber.interrupt(first)
          const [firstAct, firstNew] = [facts.length, simulation.head + 1]
          simulation.advance(isSoak ? 60_000 : 30_000)
          simulation.settle()
          const acts = yield* seeMatches(simulation, firstAct)
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          const truth = venueTruth(simulation)
          const combos = acts.filter((act) => truth.market(act)?.legs !== undefined)
          const named = [...acts.slice(0, 10), ...combos]
          yield* Effect.provide(nameMarkets(simulation, named), upstreams)
          const before = yield* allEntries

          const seen = new Map(messagesOf(before, "settlement").map((message) => [message.data["tx_hash"], message]))
          assert.deepStrictEqual([...seen.keys()], acts.map(truth.tx))
          const updates = new Map(
            messagesOf(before, "status_update").map((message) => [message.data["tx_hash"], message]),
          )
          for (const act of acts) {
            const { data } = updates.get(truth.tx(act)) ?? {}
            assert.deepStrictEqual(
              [data?.["status"], data?.["confirmed_at"], data?.["pending_detected_at"], data?.["latency_ms"]],
              [
                "confirmed",
                Number(data?.["confirmed_at"]),
                simulation.now(),
                Number(data?.["confirmed_at"]) - simulation.now(),
              ],
            )
            const fills = (data?.["confirmed_fills"] as ReadonlyArray<FeedMessage["data"]> | null) ?? []
            const lines = fills.map((fill) => lineOf({ tx_hash: truth.tx(act), ...fill }, ...tradeFields))
            assert.deepStrictEqual(lines.toSorted(), truth.fillsOf(act))
          }
          const fills = messagesOf(before, "fill")
          const pending = fills.filter(isPending)
          const flat = (some: ReadonlyArray<FeedMessage>) =>
            some.map(({ data }) => lineOf(data, ...flatFields)).toSorted()
          assert.deepStrictEqual(
            flat(pending),
            flat(fills.filter((message) => !isPending(message) && seen.has(message.data["tx_hash"]))),
          )
          assert.isTrue(pending.every(({ data }) => data["block_number"] === null && data["log_index"] === null))
          assertBlocks(simulation, messagesOf(before, "block"), firstNew)

          for (const act of named) {
            const market = truth.market(act)
            if (market?.legs !== undefined) continue
            assert.strictEqual(seen.get(truth.tx(act))?.data["market_slug"], market?.plan.slug)
          }
          assert.isAbove(combos.length, 0)
          const executions = new Map(messagesOf(before, "combo_execution").map(({ data }) => [data["tx_hash"], data]))
          assert.deepStrictEqual([...executions.keys()], combos.map(truth.tx))
          for (const act of combos) {
            const legs = executions.get(truth.tx(act))?.["legs"] as ReadonlyArray<{
              readonly leg_outcome_label: string
              readonly market: { readonly slug: string }
            }>
            assert.deepStrictEqual(
              legs.map(({ leg_outcome_label, market }) => [leg_outcome_label, market.slug]),
              truth
                .market(act)
                ?.legs?.map(({ market, outcome }) => [market.plan.outcomes[outcome] ?? "", market.plan.slug]),
            )
          }

          simulation.reorg(12)
          simulation.advance(8_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          const after = yield* allEntries
          const retracted = retractedIn(after)
          const messageCounts = new Map(before.map(({ seq, messages }) => [seq, messages.length]))
          for (const { seq, kind, messages } of after) {
            if (retracted.has(seq)) assert.strictEqual(messages.length, 0, `${kind} ${seq}`)
            else if (!internalKinds.has(kind)) assert.isAbove(messages.length, 0, `${kind} ${seq}`)
          }
          assert.isAbove([...retracted].filter((seq) => (messageCounts.get(seq) ?? 0) > 0).length, 50)
          assert.deepStrictEqual(linesOf(after, "trade", ...tradeFields), venueTruth(simulation).fills)
          assertBlocks(simulation, messagesOf(after, "block"), firstNew)
          const firstLive = Math.min(...messagesOf(after, "block").map(({ data }) => Number(data["block_number"])))
          const approvals = linesOf(after, "combo_approval", ...approvalFields)
          assert.deepStrictEqual(approvals, venueTruth(simulation).approvalsFrom(firstLive))
          assert.isNotEmpty(approvals)
          const [reorg] = messagesOf(after, "reorg")
          const fork = Number(reorg?.data["fork_block"])
          assert.strictEqual(reorg?.data["fork_hash"], simulation.chain.hashOf(fork))

          const changes = messagesOf(after, "status_update").filter(({ data }) => data["tx_hash"] !== undefined)
          const replaced = acts.filter((act) => Number(updates.get(truth.tx(act))?.data["block_number"]) > fork)
          assert.isAbove(replaced.length, 0)
          for (const act of replaced) {
            const own = changes.filter(({ data }) => data["tx_hash"] === truth.tx(act))
            assert.deepStrictEqual(
              own.map((change) => [change.data["status"], confirmedFills(change)?.length ?? 0]),
              [
                ["confirmed", 0],
                ["pending", 0],
                ["confirmed", truth.fillsOf(act).length],
              ],
            )
          }
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  },
)
