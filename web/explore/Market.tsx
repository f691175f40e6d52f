import { cents, compactUsd, whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Stats } from "../shared/ui/Stats.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useQueryState } from "../shared/useQueryState.ts"
import { type Loaded, useRequest } from "../shared/useRequest.ts"
import { Choice } from "./Choice.tsx"
import { Depth } from "./market/Depth.tsx"
import { Holders } from "./market/Holders.tsx"
import { MarketTrades } from "./market/MarketTrades.tsx"
import { PriceChart } from "./market/PriceChart.tsx"
import type { TradeList } from "./TradesTable.tsx"
import { useTitle } from "./useTitle.ts"

interface Listed {
  readonly condition_id: string | null
  readonly question: string | null
  readonly event_title: string | null
  readonly status: string
  readonly token_ids: ReadonlyArray<string>
  readonly token_outcomes: ReadonlyArray<string>
  readonly winning_outcome_index: number | null
  readonly outcomes: ReadonlyArray<string>
  readonly end_date: string | null
  readonly resolved_at: string | null
  readonly price: number | null
  readonly price_change_24h: number | null
  readonly volume_24h: string | null
  readonly volume_all: string | null
  readonly unique_traders_24h: number | null
  readonly liquidity: string | null
}
interface Found {
  readonly data: ReadonlyArray<Listed>
}

interface Outcome {
  readonly token: string
  readonly name: string
}

/** From the market itself, or from its trades where the plan does not include the former. */
const outcomesOf = (market: Listed | undefined, trades: TradeList | undefined): ReadonlyArray<Outcome> => {
  if (market !== undefined)
    return market.token_ids.map((token, i) => ({ token, name: market.token_outcomes[i] || `Outcome ${i + 1}` }))
  const names = new Map((trades?.trades ?? []).map(({ token_id, outcome }) => [token_id, outcome ?? "Outcome"]))
  return [...names].map(([token, name]) => ({ token, name }))
}

const MarketStats = ({ market }: { readonly market: Listed }) => {
  const { price_change_24h: change, winning_outcome_index: winner } = market
  const first = market.outcomes[0] ?? "First outcome"
  return (
    <Stats
      items={[
        { label: first, value: cents(market.price) },
        {
          label: "Change, 24 h",
          value: change === null ? "–" : `${change > 0 ? "+" : change < 0 ? "−" : ""}${cents(Math.abs(change))}`,
          tone: change === null || change === 0 ? "" : change > 0 ? "up" : "down",
        },
        { label: "Volume, 24 h", value: compactUsd(market.volume_24h) },
        { label: "Volume, all time", value: compactUsd(market.volume_all) },
        { label: "Traders, 24 h", value: whole(market.unique_traders_24h) },
        { label: "Liquidity", value: compactUsd(market.liquidity) },
        market.resolved_at === null
          ? {
              label: "Ends",
              value: (
                <small>
                  <Time at={market.end_date} style="minute" />
                </small>
              ),
            }
          : {
              label: "Resolved",
              value: winner === null ? "split" : (market.outcomes[winner] ?? "–"),
              note: <Time at={market.resolved_at} style="day" />,
            },
      ]}
    />
  )
}

const Header = ({
  loaded,
  path,
  slug,
}: {
  readonly loaded: Loaded<Found>
  readonly path: string
  readonly slug: string
}) => {
  const market = loaded.data?.data[0]
  return (
    <>
      <hgroup>
        <h1>{market?.question ?? slug}</h1>
        <p class="muted">
          {market !== undefined && <span class="tag">{market.status}</span>}{" "}
          {market?.event_title !== market?.question && market?.event_title}
        </p>
      </hgroup>
      <Show loaded={loaded}>{() => market !== undefined && <MarketStats market={market} />}</Show>
      {loaded.failure?.status === 404 && (
        <p>
          Check the address, or{" "}
          <a href={withQuery("/explore", { q: slug.replaceAll("-", " ") })}>search for its words</a>.
        </p>
      )}
      <RequestLine path={path} />
    </>
  )
}

export const Market = ({ slug }: { readonly slug: string }) => {
  const [query, setQuery] = useQueryState()
  const path = withQuery("/v3/markets", { slug })
  const loaded = useRequest<Found>(path, { everyMillis: 15_000 })
  const tradesPath = withQuery("/v2/onchain/trades", { market_slug: slug, limit: 50 })
  const trades = useRequest<TradeList>(tradesPath)
  const market = loaded.data?.data[0]
  useTitle(market?.question ?? slug)
  const isUnknown = loaded.failure?.status === 404
  const outcomes = outcomesOf(market, trades.data)
  const index = Math.min(Math.max(0, Number(query["outcome"] ?? 0) || 0), Math.max(0, outcomes.length - 1))
  const outcome = outcomes[index]
  const oldest = trades.data?.trades.at(-1)?.timestamp
  return (
    <>
      <Header loaded={loaded} path={path} slug={slug} />
      {outcome !== undefined && !trades.isLoading && (
        <>
          {outcomes.length > 1 && (
            <Choice
              label="Outcome"
              value={String(index)}
              options={outcomes.map(({ name }, i) => [String(i), name] as const)}
              onChange={(value) => setQuery({ outcome: value })}
            />
          )}
          <div class="columns">
            <PriceChart key={`price ${outcome.token}`} since={oldest} token={outcome.token} outcome={outcome.name} />
            <Depth key={`depth ${outcome.token}`} token={outcome.token} outcome={outcome.name} />
          </div>
        </>
      )}
      {!isUnknown && (
        <>
          <MarketTrades slug={slug} path={tradesPath} loaded={trades} />
          {typeof market?.condition_id === "string" && <Holders condition={market.condition_id} />}
        </>
      )}
    </>
  )
}
