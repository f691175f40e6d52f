import { Effect } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

/** A trade as it must be returned. */
export interface Trade {
  readonly tx_hash: string
  readonly order_hash: string
  readonly timestamp: number
  readonly maker: string
  readonly taker: string
  readonly token_id: string
  readonly direction: "BUY" | "SELL"
  readonly price: number
  readonly shares: number
  readonly usd: number
  readonly fee: number
  readonly gross_fee: number
}

/** Addresses of the exchanges, by their stored code. */
export const exchanges = [
  "0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e",
  "0xc5d563a36ae78145c45a50134d48a1215220f80a",
  "0xe111180000d2663c0091e4f400237545b87b996b",
  "0xe2222d279d744050d28e00520010520000310f59",
  "0xe3333700ca9d93003f00f0f71f8515005f6c00aa",
  "0xe2222d002000ba0053cef3375333610f64600036",
]

/** All trades of a wallet, computed in plain SQL. */
export const tradesOf = (wallet: string, from = 0, to = 99_999_999_999) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<Omit<Trade, "token_id"> & { token: string; exchange: number }>`
      select '0x' || encode(${sql.literal(transactionSql("f"))}, 'hex') as tx_hash,
        '0x' || encode(f.order_hash, 'hex') as order_hash, f.at::float8 as timestamp, ${wallet}::text as maker,
        '0x' || encode(t.address, 'hex') as taker, encode(k.hash, 'hex') as token, f.exchange,
        case when f.is_sale then 'SELL' else 'BUY' end as direction,
        round(f.usd::numeric / f.shares, 4)::float8 as price, (f.shares / 1000000::numeric)::float8 as shares,
        (f.usd / 1000000::numeric)::float8 as usd,
        (case when f.exchange < 2 and not f.is_sale then round((f.fee - r.amount) * f.usd::numeric / f.shares) else f.fee - r.amount end
          / 1000000::numeric)::float8 as fee,
        (case when f.exchange < 2 and not f.is_sale then round(f.fee * f.usd::numeric / f.shares) else f.fee end / 1000000::numeric)::float8 as gross_fee
      from fill f cross join lateral (
        select coalesce(sum(amount), 0) as amount from fee_refund p
        where block = f.block and ${sql.literal(transactionSql("p"))} = ${sql.literal(transactionSql("f"))} and order_hash = f.order_hash and wallet = f.maker) r
       join wallet m on m.id = f.maker left join wallet t on t.id = f.taker join token k on k.id = f.token
      where '0x' || encode(m.address, 'hex') = ${wallet} and f.at >= ${from}::int8 and f.at <= ${to}::int8
      order by f.at desc, f.block desc, f.log_index desc`
    return rows.map(({ token, exchange, ...row }): Trade => {
      const trade = { ...row, taker: row.taker ?? exchanges[exchange] ?? "", token_id: BigInt(`0x${token}`).toString() }
      return {
        tx_hash: trade.tx_hash,
        order_hash: trade.order_hash,
        timestamp: trade.timestamp,
        maker: trade.maker,
        taker: trade.taker,
        token_id: trade.token_id,
        direction: trade.direction,
        price: trade.price,
        shares: trade.shares,
        usd: trade.usd,
        fee: trade.fee,
        gross_fee: trade.gross_fee,
      }
    })
  })

const micros = (amount: number) => Math.round(amount * 1e6)

/** A taker's trade without what makers of the same token traded with it; undefined if nothing is left. */
const withoutMakers = (trade: Trade, makers: ReadonlyArray<Trade>): Trade | undefined => {
  const rest = (read: (trade: Trade) => number) =>
    makers.reduce((left, maker) => left - micros(read(maker)), micros(read(trade)))
  const [shares, usd] = [rest((each) => each.shares), rest((each) => each.usd)]
  if (shares <= 0) return undefined
  return { ...trade, shares: shares / 1e6, usd: usd / 1e6, price: Math.round((usd / shares) * 1e4) / 1e4 }
}

/** Trades of each token: its makers' trades, and what takers minted or merged with the other outcome. */
export const tradesOfTokens = (everybody: ReadonlyArray<Trade>): ReadonlyArray<Trade> => {
  const byTransaction = Map.groupBy(everybody, ({ tx_hash }) => tx_hash)
  return everybody.flatMap((trade) => {
    if (!exchanges.includes(trade.taker)) return [trade]
    const makers = (byTransaction.get(trade.tx_hash) ?? []).filter(
      ({ token_id, taker }) => token_id === trade.token_id && taker === trade.maker,
    )
    return withoutMakers(trade, makers) ?? []
  })
}
