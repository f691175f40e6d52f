import { signClass, usd, whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Empty, Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useQueryState } from "../shared/useQueryState.ts"
import { useRequest } from "../shared/useRequest.ts"
import { WalletLink } from "./links.tsx"
import { type ListPage, Pager, usePage } from "./Pager.tsx"
import { Select } from "./Select.tsx"
import { useTitle } from "./useTitle.ts"

interface Row {
  readonly rank: number
  readonly wallet: string
  readonly realized_pnl: number
  readonly unrealized_pnl: number
  readonly total_volume: number
  readonly wins: number
  readonly losses: number
  readonly position_count: number
  readonly open_positions: number
}
interface Board {
  readonly leaderboard: ReadonlyArray<Row>
  readonly has_more: boolean
  readonly as_of: number
}
interface Scopes {
  readonly scopes: ReadonlyArray<{ readonly value: string; readonly wallet_count: number }>
}

const periods = [
  ["all", "All time"],
  ["30d", "30 days"],
  ["7d", "7 days"],
  ["1d", "1 day"],
] as const
const scopes = [
  ["all", "Everything"],
  ["category", "A category"],
  ["tag", "A tag"],
  ["event", "An event"],
  ["market", "A market"],
] as const
const parameters: Readonly<Record<string, string>> = {
  category: "category",
  tag: "tag_slug",
  event: "event_slug",
  market: "market_slug",
}
const sorts = [
  ["realized_pnl", "Realized P&L"],
  ["total_pnl", "Total P&L"],
  ["volume", "Volume"],
] as const

const limit = 50

const useBoard = () => {
  const [query] = useQueryState()
  const scope = query["scope"] ?? "all"
  const value = (query["value"] ?? "").trim()
  const period = query["period"] ?? "all"
  const sort = query["sort"] ?? "realized_pnl"
  const page = usePage(limit)
  const parameter = parameters[scope]
  const isChosen = parameter === undefined || value !== ""
  const path = withQuery("/v3/leaderboard", {
    period,
    ...(parameter === undefined ? {} : { [parameter]: value }),
    sort: period === "all" ? sort : undefined,
    limit,
    offset: page.offset || undefined,
  })
  return { scope, value, period, sort, page, path: isChosen ? path : undefined }
}

/** Names of categories and tags that have results. */
const useNames = (scope: string, period: string) => {
  const isListed = scope === "category" || scope === "tag"
  return useRequest<Scopes>(
    isListed
      ? withQuery("/v3/leaderboard/scopes", { period: period === "all" ? "30d" : period, scope, limit: 200 })
      : undefined,
  )
}

const profit = (amount: number) => <span class={signClass(amount)}>{usd(amount)}</span>

const BoardTable = ({ board, page }: { readonly board: Board; readonly page: ListPage }) => (
  <>
    <Table
      label="Leaderboard"
      rows={board.leaderboard}
      rowKey={({ wallet }) => wallet}
      empty="Nobody has a result in this scope."
      columns={[
        { label: "Rank", isNumber: true, cell: ({ rank }) => whole(rank) },
        { label: "Wallet", cell: ({ wallet }) => <WalletLink address={wallet} /> },
        { label: "Realized P&L", isNumber: true, cell: ({ realized_pnl }) => profit(realized_pnl) },
        { label: "Unrealized P&L", isNumber: true, cell: ({ unrealized_pnl }) => profit(unrealized_pnl) },
        { label: "Volume", isNumber: true, cell: ({ total_volume }) => usd(total_volume) },
        { label: "Wins : losses", isNumber: true, cell: ({ wins, losses }) => `${whole(wins)} : ${whole(losses)}` },
        { label: "Positions", isNumber: true, cell: ({ position_count }) => whole(position_count) },
        { label: "Open", isNumber: true, cell: ({ open_positions }) => whole(open_positions) },
      ]}
    />
    <Pager page={page} count={board.leaderboard.length} hasMore={board.has_more} />
    <p class="small muted">
      As of <Time at={board.as_of} />
    </p>
  </>
)

export const Leaderboards = () => {
  useTitle("Leaderboards")
  const [, setQuery] = useQueryState()
  const { scope, value, period, sort, page, path } = useBoard()
  const board = useRequest<Board>(path, { everyMillis: 15_000 })
  const names = useNames(scope, period)
  const change = (changes: Record<string, string | undefined>) => setQuery({ ...changes, offset: undefined })
  const isListed = scope === "category" || scope === "tag"
  return (
    <>
      <h1>Leaderboards</h1>
      <form class="row filters" onSubmit={(event) => event.preventDefault()}>
        <Select label="Period" value={period} options={periods} onChange={(next) => change({ period: next })} />
        <Select
          label="Scope"
          value={scope}
          options={scopes}
          onChange={(next) => change({ scope: next === "all" ? undefined : next, value: undefined })}
        />
        {isListed && (
          <Select
            label={scope === "category" ? "Category" : "Tag"}
            value={value}
            options={[
              ["", "choose…"],
              ...(names.data?.scopes ?? []).map(
                (one) => [one.value, `${one.value} (${whole(one.wallet_count)})`] as const,
              ),
            ]}
            onChange={(next) => change({ value: next })}
          />
        )}
        {(scope === "event" || scope === "market") && (
          <label class="wide">
            {scope === "event" ? "Slug of the event" : "Slug of the market"}
            <input
              name="value"
              spellcheck={false}
              value={value}
              onChange={(event) => change({ value: event.currentTarget.value.trim() })}
            />
          </label>
        )}
        {period === "all" && (
          <Select label="Sort by" value={sort} options={sorts} onChange={(next) => change({ sort: next })} />
        )}
      </form>
      {names.failure !== undefined && board.failure === undefined && <Show loaded={names}>{() => null}</Show>}
      {path === undefined ? (
        <Empty>Choose a {scope} above.</Empty>
      ) : (
        <>
          <Show loaded={board}>{(data) => <BoardTable board={data} page={page} />}</Show>
          <RequestLine path={path} />
        </>
      )}
    </>
  )
}
