import type { AddResult } from "#src/copy-pnl/CopyPools.ts"
import { type CopyScore, isToxic, slippageOf, slippageRate } from "#src/copy-pnl/copyPnl.ts"
import { type Followed, mostFollowed, periodDays, type ScorePeriod, type StoredScore } from "#src/copy-pnl/model.ts"
import { type CopyBoard, newestOf, type RankedWallet } from "#src/copy-pnl/rank.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { secondsOf } from "#src/feed/amounts.ts"
import { unavailable } from "../server/errors.ts"

export const storeFailed = unavailable("copy-pnl")

const sampleSize = 10

export const shownPnl = (score: CopyScore) => ({
  actual_pnl_usdc: exactAmount(score.actual),
  backtest_copy_pnl_usdc: exactAmount(score.backtest),
  slippage_amount_usdc: exactAmount(slippageOf(score)),
  slippage_cost_rate_pct: slippageRate(score),
  toxic_for_copying: isToxic(score),
  trade_count: score.trades,
})

const shownScore = (score: StoredScore) => ({
  ...shownPnl(score),
  partial: score.partial,
  computed_at: secondsOf(score.computedAt),
})

export const shownAdded = ({ added, alreadyTracked, total, capped, scoresRequested }: AddResult) => ({
  added,
  already_tracked: alreadyTracked,
  total,
  max: mostFollowed,
  capped,
  refresh_kicked: scoresRequested,
  ...(capped && {
    hint: `A pool has at most ${mostFollowed} wallets: the first that fit were added. Remove wallets with DELETE /v2/copy-pnl/wallets.`,
  }),
})

const shownError = ({ reason, at }: NonNullable<Followed["error"]>) => ({ error: reason, ts: secondsOf(at) })

const lastRefresh = (followed: ReadonlyArray<Followed>) => {
  const newest = newestOf(followed)
  return newest === undefined ? null : secondsOf(newest)
}

export const shownSnapshot = (followed: ReadonlyArray<Followed>, periods: ReadonlyArray<ScorePeriod>) => ({
  total_in_pool: followed.length,
  scored_any: followed.filter(({ scores }) => scores.size > 0).length,
  errored_any: followed.filter(({ error }) => error !== undefined).length,
  pending_any: followed.filter(({ scores, error }) => scores.size === 0 && error === undefined).length,
  periods,
  last_refresh: lastRefresh(followed),
  wallets: followed.map(({ wallet, scores, error }) => ({
    wallet,
    periods: Object.fromEntries(
      periods.map((period) => {
        const score = scores.get(periodDays[period])
        return [period, score === undefined ? null : shownScore(score)]
      }),
    ),
    ...(error !== undefined && { error: shownError(error) }),
  })),
})

const shownRank = ({ wallet, score }: RankedWallet, rank: number) => ({
  local_rank: rank,
  wallet,
  ...shownScore(score),
})

export const shownBoard = (
  followed: ReadonlyArray<Followed>,
  { ranked, scored, pending, errored }: CopyBoard,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) => ({
  total_in_pool: followed.length,
  scored,
  filtered_in: ranked.length,
  pending: pending.length,
  errored: errored.length,
  offset,
  limit,
  last_refresh: lastRefresh(followed),
  results: ranked.slice(offset, offset + limit).map((each, i) => shownRank(each, offset + i + 1)),
  ...(errored.length > 0 && {
    errored_sample: errored
      .slice(0, sampleSize)
      .flatMap(({ wallet, error }) => (error === undefined ? [] : [{ wallet, ...shownError(error) }])),
  }),
  ...(pending.length > 0 && { pending_sample: pending.slice(0, sampleSize) }),
})
