import { useEffect, useRef, useState } from "preact/hooks"
import { cents, compactUsd, signClass, whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { type Column, Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useDebounced } from "../shared/useDebounced.ts"
import { useQueryState } from "../shared/useQueryState.ts"
import { useRequest } from "../shared/useRequest.ts"
import { MarketLink } from "./links.tsx"
import { Pager, usePage } from "./Pager.tsx"
import { Select } from "./Select.tsx"
import { useTitle } from "./useTitle.ts"

interface MarketRow {
  readonly condition_id: string | null
  readonly slug: string | null
  readonly question: string | null
  readonly category: string | null
  readonly status?: string
  readonly closed: boolean | null
  readonly resolved_at: string | null
  readonly end_date: string | null
  readonly liquidity: string | null
  readonly volume_all_time: string | null
  readonly price?: number | null
  readonly price_change_24h?: number | null
  readonly volume_24h?: string | null
  readonly trades_24h?: number | null
  readonly unique_traders_24h?: number | null
}
interface MarketPage {
  readonly data: ReadonlyArray<MarketRow>
  readonly has_more: boolean
}

const sorts = [
  ["volume_24h", "Volume, 24 h"],
  ["volume_7d", "Volume, 7 d"],
  ["volume_all", "Volume, all time"],
  ["unique_traders_24h", "Traders, 24 h"],
  ["price_move_24h", "Price move, 24 h"],
  ["liquidity", "Liquidity"],
  ["newest", "Newest"],
  ["ending_soonest", "Ending soonest"],
] as const
const statuses = [
  ["open", "Open"],
  ["closed", "Closed"],
  ["resolved", "Resolved"],
  ["any", "Any"],
] as const

const question: Column<MarketRow> = {
  label: "Market",
  cell: ({ slug, question: title, category }) => (
    <div class="words">
      <MarketLink slug={slug} title={title} />
      {category !== null && <span class="small muted"> {category}</span>}
    </div>
  ),
}
const liquidity: Column<MarketRow> = {
  label: "Liquidity",
  isNumber: true,
  cell: (row) => compactUsd(row.liquidity),
}
const ends: Column<MarketRow> = { label: "Ends", cell: ({ end_date }) => <Time at={end_date} style="minute" /> }

const listed: ReadonlyArray<Column<MarketRow>> = [
  question,
  { label: "Price", isNumber: true, cell: ({ price }) => cents(price) },
  {
    label: "24 h",
    isNumber: true,
    cell: ({ price_change_24h: change }) => (
      <span class={signClass(change)}>
        {change === null || change === undefined
          ? "–"
          : `${change > 0 ? "+" : change < 0 ? "−" : ""}${cents(Math.abs(change))}`}
      </span>
    ),
  },
  { label: "Volume, 24 h", isNumber: true, cell: ({ volume_24h }) => compactUsd(volume_24h) },
  { label: "Trades", isNumber: true, cell: ({ trades_24h }) => whole(trades_24h) },
  { label: "Traders", isNumber: true, cell: ({ unique_traders_24h }) => whole(unique_traders_24h) },
  liquidity,
  ends,
]

const stateOf = ({ resolved_at, closed }: MarketRow) =>
  resolved_at !== null ? "Resolved" : closed === true ? "Closed" : "Open"

const found: ReadonlyArray<Column<MarketRow>> = [
  question,
  { label: "Status", cell: stateOf },
  { label: "Volume, all time", isNumber: true, cell: ({ volume_all_time }) => compactUsd(volume_all_time) },
  liquidity,
  ends,
]

interface TagList {
  readonly tags: ReadonlyArray<{ readonly slug: string }>
}

/** Words are searched as they are typed; the address follows, without an entry in the history for each letter. */
const useSearch = () => {
  const [query, setQuery] = useQueryState()
  const inAddress = query["q"] ?? ""
  const [typed, setTyped] = useState(inAddress)
  const settled = useDebounced(typed)
  const searched = useRef(inAddress)
  useEffect(() => {
    if (settled === searched.current) return
    searched.current = settled
    setQuery({ q: settled, offset: undefined }, true)
  }, [settled])
  // Only a link or the back button changes what is typed: a search lags behind the typing.
  useEffect(() => {
    if (inAddress === searched.current) return
    searched.current = inAddress
    setTyped(inAddress)
  }, [inAddress])
  return { typed, setTyped, words: inAddress.trim() }
}

const limit = 25

export const Markets = () => {
  useTitle("Markets")
  const [query, setQuery] = useQueryState()
  const { typed, setTyped, words } = useSearch()
  const page = usePage(limit)
  const { offset } = page
  const status = query["status"] ?? "open"
  const sort = query["sort"] ?? "volume_24h"
  const isSearch = words !== ""
  const path = isSearch
    ? withQuery("/v3/markets/search", { q: words, limit, offset: offset || undefined })
    : withQuery("/v3/markets", {
        status: status === "any" ? undefined : status,
        tag: query["tag"],
        min_volume_24h: query["min"],
        sort,
        limit,
        offset: offset || undefined,
      })
  const markets = useRequest<MarketPage>(path, isSearch ? {} : { everyMillis: 30_000 })
  const tags = useRequest<TagList>("/v2/onchain/tags?limit=200")
  const filter = (changes: Record<string, string>) => setQuery({ ...changes, offset: undefined })
  return (
    <>
      <h1>Markets</h1>
      <search>
        <form class="row filters" onSubmit={(event) => event.preventDefault()}>
          <label class="wide">
            Search
            <input
              type="search"
              name="q"
              maxLength={200}
              placeholder="words of a question, an event or an outcome"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
          {!isSearch && (
            <>
              <Select
                label="Status"
                value={status}
                options={statuses}
                onChange={(value) => filter({ status: value })}
              />
              <label>
                Tag
                <input
                  name="tag"
                  list="tags"
                  placeholder="any"
                  value={query["tag"] ?? ""}
                  onChange={(event) => filter({ tag: event.currentTarget.value.trim() })}
                />
              </label>
              <datalist id="tags">
                {tags.data?.tags.map(({ slug }) => (
                  <option key={slug} value={slug} />
                ))}
              </datalist>
              <label>
                Volume 24 h from, $
                <input
                  name="min"
                  type="number"
                  min="0"
                  step="any"
                  placeholder="0"
                  value={query["min"] ?? ""}
                  onChange={(event) => filter({ min: event.currentTarget.value })}
                />
              </label>
              <Select label="Sort by" value={sort} options={sorts} onChange={(value) => filter({ sort: value })} />
            </>
          )}
        </form>
      </search>
      <Show loaded={markets}>
        {({ data, has_more }) => (
          <>
            <Table
              label="Markets"
              columns={isSearch ? found : listed}
              rows={data}
              rowKey={(row) => row.condition_id ?? row.slug ?? ""}
              empty={isSearch ? `No market has “${words}” in its words.` : "No market passes these filters."}
            />
            <Pager page={page} count={data.length} hasMore={has_more} />
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </>
  )
}
