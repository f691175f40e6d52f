import { cents, compactUsd, duration } from "../shared/format.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Show } from "../shared/ui/States.tsx"
import { Stats } from "../shared/ui/Stats.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { clockOf, type GameScore } from "./GameCard.tsx"
import { MarketLink } from "./links.tsx"
import { useTitle } from "./useTitle.ts"

interface Detail {
  readonly title: string
  readonly startTime: string
  readonly volume: number
  readonly liquidity: number
  readonly markets: ReadonlyArray<{ readonly id: string; readonly slug: string }>
}
interface Quote {
  readonly outcome: string
  readonly best_bid: string | null
  readonly best_ask: string | null
  readonly midpoint: string | null
}
interface State {
  readonly title: string
  readonly status: string
  readonly score: GameScore & { readonly age_ms: number | null }
  readonly markets: ReadonlyArray<{
    readonly id: string
    readonly question: string
    readonly sportsMarketType: string | null
    readonly prices: ReadonlyArray<Quote>
  }>
}

type Row = Quote & { readonly id: string; readonly question: string; readonly type: string | null }

/** A game as it stands, with the prices of its markets. */
export const Game = ({ slug }: { readonly slug: string }) => {
  const base = `/v2/sports/games/${encodeURIComponent(slug)}`
  const detail = useRequest<Detail>(base)
  const statePath = `${base}/state`
  const state = useRequest<State>(statePath, { everyMillis: 5000 })
  const title = state.data?.title ?? detail.data?.title ?? slug
  useTitle(title)
  const slugs = new Map((detail.data?.markets ?? []).map((market) => [market.id, market.slug]))
  return (
    <>
      <h1>{title}</h1>
      <Show loaded={state}>
        {({ status, score, markets }) => (
          <>
            <Stats
              items={[
                { label: "Status", value: status, note: clockOf(score) },
                { label: "Score", value: score.score ?? "–", note: score.score === null ? "" : score.freshness },
                { label: "Score confirmed", value: score.age_ms === null ? "–" : `${duration(score.age_ms)} ago` },
                {
                  label: "Start",
                  value: (
                    <small>
                      <Time at={detail.data?.startTime} style="minute" />
                    </small>
                  ),
                },
                { label: "Volume", value: compactUsd(detail.data?.volume) },
                { label: "Liquidity", value: compactUsd(detail.data?.liquidity) },
              ]}
            />
            <h2>Prices</h2>
            <Table
              label="Prices"
              rows={markets.flatMap(({ id, question, sportsMarketType, prices }) =>
                prices.map((price): Row => ({ ...price, id, question, type: sportsMarketType })),
              )}
              rowKey={({ id, outcome }) => `${id}:${outcome}`}
              empty="The game has no markets."
              columns={[
                {
                  label: "Market",
                  cell: ({ id, question }) => (
                    <div class="words">
                      <MarketLink slug={slugs.get(id) ?? null} title={question} />
                    </div>
                  ),
                },
                { label: "Kind", cell: ({ type }) => type?.replaceAll("_", " ") ?? "–" },
                { label: "Outcome", cell: ({ outcome }) => outcome },
                { label: "Bid", isNumber: true, cell: ({ best_bid }) => cents(best_bid) },
                { label: "Ask", isNumber: true, cell: ({ best_ask }) => cents(best_ask) },
                { label: "Middle", isNumber: true, cell: ({ midpoint }) => cents(midpoint) },
              ]}
            />
          </>
        )}
      </Show>
      <RequestLine path={statePath} />
    </>
  )
}
