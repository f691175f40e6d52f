import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { AsOf } from "#src/ledger/asOf.ts"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { type RolledUpMarket, Rollups } from "#src/rollups/Rollups.ts"
import { Api } from "../../Api.ts"
import { Unavailable, unavailable } from "../../server/errors.ts"
import { ageHeaders, shownAsOf } from "../../v3/answer.ts"

const storeFailed = unavailable("rollups")

const notAddedUp = new Unavailable({
  error: "The totals are not added up yet.",
  hint: "They follow the leaderboards; see GET /v1/status.",
})

const namesOf = (market: RolledUpMarket | undefined) => ({
  market: market?.title ?? null,
  slug: market?.slug ?? null,
  image: market?.image ?? null,
})

export const VolumesHandlers = HttpApiBuilder.group(
  Api,
  "volumes",
  Effect.fnUntraced(function* (handlers) {
    const rollups = yield* Rollups
    const ledger = yield* LedgerCoverage
    // Read before the sums, which then cover at least that.
    const coverageNow = Effect.map(Effect.catch(ledger.now, storeFailed), (covered) => shownCoverage(covered?.facts))
    const totals = Effect.filterOrFail(
      Effect.catch(rollups.totals, storeFailed),
      ({ found }) => found !== undefined,
      () => notAddedUp,
    )
    const answer = (asOf: AsOf | undefined, body: Readonly<Record<string, unknown>>) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        HttpServerResponse.jsonUnsafe({ ...body, as_of: shownAsOf(asOf) }, { headers: ageHeaders(asOf, now) }),
      )

    return handlers
      .handleRaw("volume", ({ params: { token_id } }) =>
        Effect.gen(function* () {
          const coverage = yield* coverageNow
          const { found, asOf } = yield* Effect.catch(rollups.volumeOf(token_id), storeFailed)
          const { trades, buys, usd, buyUsd } = found?.volume ?? { trades: 0, buys: 0, usd: 0n, buyUsd: 0n }
          return yield* answer(asOf, {
            token_id,
            source: "onchain",
            found: found !== undefined,
            ...namesOf(found?.market),
            outcome: found?.market.outcome ?? null,
            condition_id: found?.market.condition ?? null,
            total_trades: trades,
            buys,
            sells: trades - buys,
            volume_usdc: exactAmount(usd),
            buy_volume_usdc: exactAmount(buyUsd),
            sell_volume_usdc: exactAmount(usd - buyUsd),
            coverage,
          })
        }),
      )
      .handleRaw("ofMarket", ({ params: { condition_id } }) =>
        Effect.gen(function* () {
          const coverage = yield* coverageNow
          const { found, asOf } = yield* Effect.catch(rollups.openInterestOf(condition_id), storeFailed)
          return yield* answer(asOf, {
            condition_id,
            source: "onchain",
            found: found !== undefined,
            ...namesOf(found?.market),
            open_interest_usdc: exactAmount(found?.openInterest ?? 0n),
            coverage,
          })
        }),
      )
      .handleRaw("ofAll", () =>
        Effect.gen(function* () {
          const coverage = yield* coverageNow
          const { found, asOf } = yield* totals
          const open_interest_usdc = exactAmount(found?.openInterest ?? 0n)
          return yield* answer(asOf, { source: "onchain", open_interest_usdc, coverage })
        }),
      )
      .handleRaw("stats", () =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const coverage = yield* coverageNow
          const { found, asOf } = yield* totals
          if (found === undefined) return yield* notAddedUp
          return yield* answer(asOf, {
            total_fills: Number(found.fills),
            total_trades: Number(found.trades),
            total_redemptions: Number(found.redemptions),
            total_wallets: Number(found.wallets),
            total_positions: String(found.positions),
            total_realized_pnl: decimalAmount(found.realized),
            total_gross_profit: decimalAmount(found.profit),
            total_gross_loss: decimalAmount(found.profit - found.realized),
            total_volume: decimalAmount(found.usd),
            open_interest: decimalAmount(found.openInterest),
            pnl_as_of_block: found.sumsAt,
            coverage,
            elapsed_ms: Math.max(0, Math.round((yield* Clock.currentTimeMillis) - start)),
          })
        }),
      )
  }),
)
