import { cents, decimal, usd } from "../shared/format.ts"
import { type Column, Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { MarketLink, SideTag, TransactionLink, WalletLink } from "./links.tsx"

/** A row of `GET /v2/onchain/trades`. */
export interface Trade {
  readonly timestamp: number
  readonly tx_hash: string
  readonly order_hash: string
  readonly maker: string
  readonly token_id: string
  readonly price: number
  readonly amount_usd: number
  readonly fee_usd: number
  readonly shares: number
  readonly side: string
  readonly market: string | null
  readonly outcome: string | null
  readonly market_slug: string | null
}
export interface TradeList {
  readonly trades: ReadonlyArray<Trade>
  readonly pagination: { readonly pagination_key: string | null }
}

export const tradeKey = ({ tx_hash, order_hash, token_id, price }: Trade) =>
  `${tx_hash}:${order_hash}:${token_id}:${price}`

const time: Column<Trade> = { label: "Time", cell: ({ timestamp }) => <Time at={timestamp} style="short" /> }
const outcome: Column<Trade> = { label: "Outcome", cell: (trade) => trade.outcome ?? "–" }
const market: Column<Trade> = {
  label: "Market",
  cell: ({ market_slug, market: title }) => (
    <div class="words">
      <MarketLink slug={market_slug} title={title} />
    </div>
  ),
}
const wallet: Column<Trade> = { label: "Wallet", cell: ({ maker }) => <WalletLink address={maker} /> }
const rest: ReadonlyArray<Column<Trade>> = [
  { label: "Side", cell: ({ side }) => <SideTag side={side} /> },
  { label: "Price", isNumber: true, cell: ({ price }) => cents(price) },
  { label: "Shares", isNumber: true, cell: ({ shares }) => decimal(shares) },
  { label: "Value", isNumber: true, cell: ({ amount_usd }) => usd(amount_usd) },
]
const fee: Column<Trade> = { label: "Fee", isNumber: true, cell: ({ fee_usd }) => usd(fee_usd) }
const transaction: Column<Trade> = {
  label: "Transaction",
  cell: ({ tx_hash }) => <TransactionLink hash={tx_hash} />,
}

export const columnsOfMarket = [time, outcome, ...rest, wallet, transaction]
export const columnsOfWallet = [time, market, outcome, ...rest, fee, transaction]

export const TradesTable = ({
  columns,
  rows,
}: {
  readonly columns: ReadonlyArray<Column<Trade>>
  readonly rows: ReadonlyArray<Trade>
}) => <Table label="Trades" columns={columns} rows={rows} rowKey={tradeKey} empty="No trades yet." />
