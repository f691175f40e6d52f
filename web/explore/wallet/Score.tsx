import { decimal, signClass, usd, whole } from "../../shared/format.ts"
import { withQuery } from "../../shared/request.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { useRequest } from "../../shared/useRequest.ts"

interface CopyScore {
  readonly actual_pnl_usdc: number
  readonly backtest_copy_pnl_usdc: number
  readonly slippage_amount_usdc: number
  readonly slippage_cost_rate_pct: number | null
  readonly toxic_for_copying: boolean
  readonly trade_count: number
  readonly partial: boolean
}

/** What copying the wallet for 30 days would have earned. */
export const Score = ({ wallet }: { readonly wallet: string }) => {
  const path = withQuery(`/v2/copy-pnl/${wallet}`, { period: "30d" })
  const loaded = useRequest<CopyScore>(path)
  return (
    <article aria-labelledby="score-title">
      <h2 id="score-title">Score for copying, 30 days</h2>
      <Show loaded={loaded}>
        {(score) => (
          <>
            <p>
              {score.toxic_for_copying ? (
                <strong class="down">Not worth copying: friction takes more than 15 % of the result.</strong>
              ) : (
                <strong class="up">Friction takes less than 15 % of the result.</strong>
              )}
            </p>
            <Stats
              items={[
                { label: "Own result", value: usd(score.actual_pnl_usdc), tone: signClass(score.actual_pnl_usdc) },
                {
                  label: "Copier's result",
                  value: usd(score.backtest_copy_pnl_usdc),
                  tone: signClass(score.backtest_copy_pnl_usdc),
                },
                { label: "Cost of copying", value: usd(score.slippage_amount_usdc) },
                {
                  label: "Cost rate",
                  value: score.slippage_cost_rate_pct === null ? "–" : `${decimal(score.slippage_cost_rate_pct, 1)} %`,
                },
                { label: "Trades", value: whole(score.trade_count) },
              ]}
            />
            <p class="small muted">
              Cash in and out, without fees. A copier buys 2 % higher and sells 2 % lower.
              {score.partial && " The score covers only the newest part of the 30 days."}
            </p>
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </article>
  )
}
