import { withQuery } from "../../shared/request.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Show } from "../../shared/ui/States.tsx"
import { useRequest } from "../../shared/useRequest.ts"
import { columnsOfWallet, type TradeList, TradesTable } from "../TradesTable.tsx"

/** The newest trades of a wallet's own orders, with their fees. */
export const WalletTrades = ({ wallet }: { readonly wallet: string }) => {
  const path = withQuery("/v2/onchain/trades", { wallet, limit: 50 })
  const loaded = useRequest<TradeList>(path, { everyMillis: 15_000 })
  return (
    <section>
      <h2 id="trades-title">Trades</h2>
      <Show loaded={loaded}>{({ trades }) => <TradesTable columns={columnsOfWallet} rows={trades} />}</Show>
      <RequestLine path={path} />
    </section>
  )
}
