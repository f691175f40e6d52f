import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import type { Loaded } from "../../shared/useRequest.ts"
import { columnsOfMarket, type TradeList, TradesTable, tradeKey } from "../TradesTable.tsx"
import { useLiveTrades } from "./useLiveTrades.ts"

const mostShown = 50

/** The newest trades of both outcomes; further ones come in as they happen. */
export const MarketTrades = ({
  slug,
  path,
  loaded,
}: {
  readonly slug: string
  readonly path: string
  readonly loaded: Loaded<TradeList>
}) => {
  const { trades, state } = useLiveTrades(slug)
  return (
    <section data-live={trades.length}>
      <div class="spread">
        <h2 id="trades-title">Trades</h2>
        <span class="state" data-state={state === "live" ? "open" : "waiting"} role="status">
          {state}
        </span>
      </div>
      <Show loaded={loaded}>
        {({ trades: listed }) => {
          const known = new Set(listed.map(tradeKey))
          const newer = trades.filter((trade) => !known.has(tradeKey(trade)))
          return <TradesTable columns={columnsOfMarket} rows={[...newer, ...listed].slice(0, mostShown)} />
        }}
      </Show>
      <RequestLine path={path} />
    </section>
  )
}
