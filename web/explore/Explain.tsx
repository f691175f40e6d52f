import { decimal, signClass, usd } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Stats } from "../shared/ui/Stats.tsx"
import { type Column, Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { MarketLink, TransactionLink, WalletLink } from "./links.tsx"
import { followedBy, Pager, useCursorPage } from "./Pager.tsx"
import { useTitle } from "./useTitle.ts"

interface Line {
  readonly id: string | null
  readonly kind: string
  readonly direction: string | null
  readonly amount_usd: number | null
  readonly shares_change: number
  readonly shares_after: number
  readonly cost_after: number
  readonly realized_pnl: number
  readonly realized_after: number
  readonly timestamp: string
  readonly transaction_hash: string | null
}
interface Explanation {
  readonly lines: ReadonlyArray<Line>
  readonly has_more: boolean
  readonly next_cursor: string | null
  readonly positions: ReadonlyArray<{ readonly size: number; readonly cost: number; readonly realized_pnl: number }>
}
interface Token {
  readonly data: ReadonlyArray<{
    readonly question: string | null
    readonly slug: string | null
    readonly outcome: string | null
  }>
}

const signed = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${decimal(Math.abs(value))}`

const columns: ReadonlyArray<Column<Line>> = [
  { label: "Time", cell: ({ timestamp }) => <Time at={Number(timestamp)} style="short" /> },
  {
    label: "What happened",
    cell: ({ kind, direction }) =>
      `${kind.replaceAll("_", " ")}${direction === null ? "" : `, ${direction.toLowerCase()}`}`,
  },
  { label: "Dollars", isNumber: true, cell: ({ amount_usd }) => usd(amount_usd) },
  { label: "Shares", isNumber: true, cell: ({ shares_change }) => signed(shares_change) },
  { label: "Shares after", isNumber: true, cell: ({ shares_after }) => decimal(shares_after) },
  { label: "Cost after", isNumber: true, cell: ({ cost_after }) => usd(cost_after) },
  {
    label: "Realized",
    isNumber: true,
    cell: ({ realized_pnl }) => <span class={signClass(realized_pnl)}>{usd(realized_pnl)}</span>,
  },
  { label: "Realized so far", isNumber: true, cell: ({ realized_after }) => usd(realized_after) },
  {
    label: "Transaction",
    cell: ({ transaction_hash: hash }) => (hash === null ? "–" : <TransactionLink hash={hash} />),
  },
]

const limit = 100

/** Every fact that made the P&L of one position. */
export const Explain = ({ address, token }: { readonly address: string; readonly token: string }) => {
  useTitle("P&L explained")
  const page = useCursorPage(limit)
  const path = withQuery(`/v3/wallets/${encodeURIComponent(address)}/pnl/explain`, {
    token_id: token,
    limit,
    cursor: page.cursor,
  })
  const loaded = useRequest<Explanation>(path, { keep: true })
  const named = useRequest<Token>(`/v3/tokens/${encodeURIComponent(token)}`)
  const name = named.data?.data[0]
  return (
    <>
      <hgroup>
        <h1>P&L explained</h1>
        <p>
          <WalletLink address={address} /> in{" "}
          <MarketLink slug={name?.slug ?? null} title={name?.question ?? "this market"} />
          {name?.outcome ? `, ${name.outcome}` : ""}
        </p>
      </hgroup>
      <Show loaded={loaded}>
        {({ lines, positions, has_more, next_cursor: next }) => (
          <>
            <Stats
              items={positions.slice(0, 1).flatMap(({ size, cost, realized_pnl }) => [
                { label: "Shares now", value: decimal(size) },
                { label: "Their cost", value: usd(cost) },
                { label: "Realized P&L", value: usd(realized_pnl), tone: signClass(realized_pnl) },
              ])}
            />
            <Table
              label="Facts"
              columns={columns}
              rows={lines}
              rowKey={({ id, kind, timestamp }) => `${id}:${kind}:${timestamp}`}
              empty="Nothing happened to this position."
            />
            <Pager page={followedBy(page, next)} count={lines.length} hasMore={has_more} isBusy={loaded.isLoading} />
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </>
  )
}
