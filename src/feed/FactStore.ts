import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type {
  ComboRow,
  ConversionRow,
  FeeRow,
  FillRow,
  FlowRow,
  PairRow,
  PlaceRow,
  RedemptionRow,
  ResolutionRow,
  TransferRow,
} from "./rows.ts"

/** The facts of some blocks, of each kind with one query. */
export const factStore = ({ reads }: Postgres["Service"]) => {
  const place = reads.literal("f.block, f.log_index, f.at, encode(f.tx, 'hex') as tx")
  const within = (blocks: ReadonlyArray<number>) => reads`where f.block = any(${pgArray("int4", blocks)})`
  const pairs = (table: "split" | "merge") => (blocks: ReadonlyArray<number>) =>
    reads<PairRow>`select ${place}, f.wallet, f.condition, f.amount from ${reads(table)} f ${within(blocks)}`

  return {
    fill: (blocks: ReadonlyArray<number>) =>
      reads<FillRow>`
        select ${place}, encode(f.order_hash, 'hex') as order_hash, f.maker, f.taker, f.exchange, f.side, f.token, f.shares,
          f.usd, f.fee, f.fee_in_shares, encode(b.code, 'hex') as builder
        from fill f left join builder b on b.id = f.builder ${within(blocks)}`,
    split: pairs("split"),
    merge: pairs("merge"),
    redemption: (blocks: ReadonlyArray<number>) =>
      reads<RedemptionRow>`
        select ${place}, f.wallet, f.condition, f.tokens, f.shares, f.payout, r.payouts
        from redemption f left join resolution r on r.condition = f.condition ${within(blocks)}`,
    conversion: (blocks: ReadonlyArray<number>) =>
      reads<ConversionRow>`
        select ${place}, f.wallet, encode(f.neg_risk_market, 'hex') as neg_risk_market, f.questions, f.nos, f.yeses, f.amount, f.paid
        from conversion f ${within(blocks)}`,
    transfer: (blocks: ReadonlyArray<number>) =>
      reads<TransferRow>`
        select ${place}, f.sub, f.sender, f.receiver, f.token, f.shares,
          count(*) over (partition by f.block, f.log_index) > 1 as batch
        from transfer f ${within(blocks)}`,
    resolution: (blocks: ReadonlyArray<number>) =>
      reads<ResolutionRow>`select ${place}, f.condition, f.payouts from resolution f ${within(blocks)}`,
    combo: (blocks: ReadonlyArray<number>) =>
      reads<ComboRow>`select ${place}, f.condition from combo f ${within(blocks)}`,
    fee_charge: (blocks: ReadonlyArray<number>) =>
      reads<FeeRow>`
        select ${place}, f.receiver, f.token, f.usd, encode(f.order_hash, 'hex') as order_hash
        from fee_charge f ${within(blocks)}`,
    collateral_flow: (blocks: ReadonlyArray<number>) =>
      reads<FlowRow>`select ${place}, f.wallet, f.amount from collateral_flow f ${within(blocks)}`,
  } satisfies Readonly<Record<string, (blocks: ReadonlyArray<number>) => unknown>>
}

export type FactStore = ReturnType<typeof factStore>

/** Finds a fact among those of its kind. */
export const placeOf = ({ block, log_index }: Pick<PlaceRow, "block" | "log_index">, sub = 0) =>
  `${block}:${log_index}:${sub}`
