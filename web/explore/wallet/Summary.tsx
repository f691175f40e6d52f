import { signClass, usd, whole } from "../../shared/format.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { useRequest } from "../../shared/useRequest.ts"

interface Amount {
  readonly amount: number | null
}
interface Sums {
  readonly realized_pnl: number
  readonly unrealized_pnl: number
  readonly total_pnl: number
  readonly wins: number
  readonly losses: number
  readonly position_count: number
  readonly open_positions: number
  readonly total_volume: number
  readonly basis: "known" | "unknown"
  readonly accounting_summary?: {
    readonly fees_paid: Amount & { readonly loaded: boolean }
    readonly maker_rebates: Amount
    readonly rewards: Amount
  }
}

/** What the wallet earned, traded and paid in total. */
export const Summary = ({ wallet }: { readonly wallet: string }) => {
  const path = `/v3/wallets/${wallet}?include_accounting_summary=true`
  const loaded = useRequest<Sums>(path, { everyMillis: 15_000 })
  return (
    <section aria-label="Summary">
      <Show loaded={loaded}>
        {({ accounting_summary: accounting, ...sums }) => (
          <>
            <Stats
              items={[
                { label: "Total P&L", value: usd(sums.total_pnl), tone: signClass(sums.total_pnl) },
                { label: "Realized P&L", value: usd(sums.realized_pnl), tone: signClass(sums.realized_pnl) },
                { label: "Unrealized P&L", value: usd(sums.unrealized_pnl), tone: signClass(sums.unrealized_pnl) },
                { label: "Volume", value: usd(sums.total_volume) },
                { label: "Wins and losses", value: `${whole(sums.wins)} : ${whole(sums.losses)}` },
                {
                  label: "Open positions",
                  value: whole(sums.open_positions),
                  note: `of ${whole(sums.position_count)}`,
                },
                {
                  label: "Fees paid",
                  value: accounting?.fees_paid.loaded === false ? "adding up…" : usd(accounting?.fees_paid.amount),
                },
                { label: "Rebates", value: usd(accounting?.maker_rebates.amount) },
                { label: "Rewards", value: usd(accounting?.rewards.amount) },
              ]}
            />
            {sums.basis === "unknown" && (
              <p class="small caution">
                The wallet held shares before the ledger begins. What they had cost is unknown, so that they count in no
                P&L.
              </p>
            )}
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </section>
  )
}
