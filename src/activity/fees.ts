import { exchangeAddress } from "#src/dictionary/exchangeCodes.ts"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { chargedFeeSql, feeSql } from "#src/trades/feeSql.ts"
import type { List } from "./listSql.ts"
import { marketColumns, marketJoins } from "./marketSql.ts"
import type { ListedFee, ListedFeePaid, ListedMarket } from "./model.ts"

interface FeeRow {
  readonly receiver: string
  readonly usd: Usdc<bigint>
  readonly token: string
  readonly order_hash: string
}

/** Fees that receivers were paid. */
export const fees: List<FeeRow, ListedFee> = {
  sources: [{ table: "fee_charge", kind: 0, owner: "receiver", columns: "f.receiver, f.usd, f.token, f.order_hash" }],
  columns: `
    '0x' || encode(w.address, 'hex') as receiver, f.usd, encode(t.hash, 'hex') as token,
    encode(f.order_hash, 'hex') as order_hash`,
  joins: "left join wallet w on w.id = f.receiver left join token t on t.id = f.token",
  read: (row, listed) => ({
    ...listed,
    receiver: row.receiver,
    amount: row.usd,
    token: tokenOfHex(row.token),
    orderHash: `0x${row.order_hash}`,
  }),
}

interface FeePaidRow extends ListedMarket {
  readonly maker: string
  /** Null for the order that started the match. */
  readonly taker: string | null
  readonly exchange: number
  readonly is_sale: boolean
  readonly token: string
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly order_hash: string
  readonly charged: Usdc<bigint>
  readonly paid: Usdc<bigint>
}

/** Fills whose orders were charged a fee. */
export const feesPaid: List<FeePaidRow, ListedFeePaid> = {
  sources: [
    {
      table: "fill",
      kind: 0,
      owner: "maker",
      columns: "f.maker, f.taker, f.exchange, f.is_sale, f.token, f.shares, f.usd, f.fee, f.order_hash",
      where: "f.fee > 0",
      isInSeconds: true,
    },
  ],
  columns: `
    '0x' || encode(w.address, 'hex') as maker, '0x' || encode(o.address, 'hex') as taker, f.exchange, f.is_sale,
    encode(k.hash, 'hex') as token, f.shares, f.usd, encode(f.order_hash, 'hex') as order_hash,
    ${chargedFeeSql("f")} as charged, ${feeSql("f")} as paid, ${marketColumns}`,
  joins: `
    left join wallet w on w.id = f.maker
    left join wallet o on o.id = f.taker
    left join token k on k.id = f.token
    ${marketJoins("k.condition")}`,
  read: (row, listed) => ({
    ...listed,
    maker: row.maker,
    taker: row.taker ?? exchangeAddress(row.exchange),
    isSale: row.is_sale,
    token: tokenOfHex(row.token),
    shares: row.shares,
    usd: row.usd,
    orderHash: `0x${row.order_hash}`,
    charged: row.charged,
    paid: row.paid,
    condition: row.condition,
    title: row.title,
    slug: row.slug,
    image: row.image,
  }),
}
