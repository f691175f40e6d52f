import { withQuery } from "../../shared/request.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { useRequest } from "../../shared/useRequest.ts"
import { followedBy, Pager, useCursorPage } from "../Pager.tsx"
import { columnsOfWallet, type TradeList, TradesTable } from "../TradesTable.tsx"

const limit = 50

/** The trades of a wallet's own orders, the newest first, with their fees. */
export const WalletTrades = ({ wallet }: { readonly wallet: string }) => {
  const page = useCursorPage(limit)
  const path = withQuery("/v2/onchain/trades", { wallet, limit, pagination_key: page.cursor })
  const isFirst = page.cursor === undefined
  const loaded = useRequest<TradeList>(path, { keep: true, ...(isFirst ? { everyMillis: 15_000 } : {}) })
  return (
    <section>
      <h2 id="trades-title">Trades</h2>
      <Show loaded={loaded}>
        {({ trades, pagination: { pagination_key: next } }) => (
          <>
            <TradesTable columns={columnsOfWallet} rows={trades} />
            <Pager
              page={followedBy(page, next)}
              label="Pages of the trades"
              count={trades.length}
              hasMore={next !== null}
              isBusy={loaded.isLoading}
            />
          </>
        )}
      </Show>
      <RequestLine path={path} />
    </section>
  )
}
