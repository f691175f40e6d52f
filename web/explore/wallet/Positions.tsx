import { cents, decimal, signClass, usd } from "../../shared/format.ts"
import { withQuery } from "../../shared/request.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { useQueryState } from "../../shared/useQueryState.ts"
import { useRequest } from "../../shared/useRequest.ts"
import { Choice } from "../Choice.tsx"
import { MarketLink } from "../links.tsx"
import { followedBy, Pager, useCursorPage } from "../Pager.tsx"

interface Position {
  readonly token_id: string
  readonly size: number
  readonly avg_price: number | null
  readonly realized_pnl: number | null
  readonly unrealized_pnl: number | null
  readonly current_price: number | null
  readonly status: string
  readonly market: string | null
  readonly slug: string | null
  readonly outcome: string | null
}
interface PositionList {
  readonly has_more: boolean
  readonly pagination_key: string | null
  readonly positions: ReadonlyArray<Position>
}

const statuses = [
  ["open", "Open"],
  ["redeemable", "Redeemable"],
  ["closed", "Closed"],
  ["all", "All"],
] as const

const profit = (amount: number | null) => <span class={signClass(amount)}>{usd(amount)}</span>

const columnsFor = (wallet: string): ReadonlyArray<Column<Position>> => [
  {
    label: "Market",
    cell: ({ slug, market }) => (
      <div class="words">
        <MarketLink slug={slug} title={market} />
      </div>
    ),
  },
  { label: "Outcome", cell: ({ outcome }) => outcome ?? "–" },
  { label: "Shares", isNumber: true, cell: ({ size }) => decimal(size) },
  { label: "Paid", isNumber: true, cell: ({ avg_price }) => cents(avg_price) },
  { label: "Price", isNumber: true, cell: ({ current_price }) => cents(current_price) },
  {
    label: "Value",
    isNumber: true,
    cell: ({ size, current_price }) => usd(current_price === null ? null : size * current_price),
  },
  { label: "Unrealized", isNumber: true, cell: ({ unrealized_pnl }) => profit(unrealized_pnl) },
  { label: "Realized", isNumber: true, cell: ({ realized_pnl }) => profit(realized_pnl) },
  { label: "Status", cell: ({ status }) => status },
  {
    label: "P&L",
    cell: ({ token_id, market, outcome }) => (
      <a
        href={`/explore/wallets/${wallet}/explain/${token_id}`}
        aria-label={`Explain the P&L of ${outcome ?? ""} in ${market ?? "an unlisted market"}`}
      >
        explain
      </a>
    ),
  },
]

const limit = 50

export const Positions = ({ wallet }: { readonly wallet: string }) => {
  const [query, setQuery] = useQueryState()
  const given = query["positions"] ?? "open"
  const status = statuses.some(([value]) => value === given) ? given : "open"
  const page = useCursorPage(limit, status)
  const path = withQuery(`/v2/wallets/${wallet}/positions/onchain`, { status, limit, pagination_key: page.cursor })
  const loaded = useRequest<PositionList>(path, { everyMillis: 15_000, keep: true })
  return (
    <section>
      <div class="spread">
        <h2 id="positions-title">Positions</h2>
        <Choice
          label="Status of the positions"
          value={status}
          options={statuses}
          onChange={(value) => setQuery({ positions: value })}
        />
      </div>
      <Show loaded={loaded}>
        {({ positions, has_more, pagination_key: next }) => (
          <>
            <Table
              label="Positions"
              columns={columnsFor(wallet)}
              rows={positions}
              rowKey={({ token_id }) => token_id}
              empty="No positions with this status."
            />
            <Pager
              page={followedBy(page, next)}
              label="Pages of the positions"
              count={positions.length}
              hasMore={has_more}
              isBusy={loaded.isLoading}
            />
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </section>
  )
}
