import { Effect } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

export interface Fact {
  readonly kind: string
  readonly block: number
  readonly log_index: number
  readonly sub: number
  readonly at: Date
  readonly tx: string
  /** Ordinal among the facts of its kind in its transaction. */
  readonly ordinal: number
}

export interface FillFact extends Fact {
  readonly order_hash: string
  readonly maker: string
  readonly taker: string | null
  readonly side: number
  readonly token: string
  readonly shares: bigint
  readonly usd: bigint
  readonly fee: bigint
  readonly fee_in_shares: boolean
  readonly builder: string | null
}

export interface PairFact extends Fact {
  readonly wallet: string
  readonly condition: string
  readonly amount: bigint
}

export interface RedemptionFact extends Fact {
  readonly wallet: string
  readonly condition: string
  readonly tokens: ReadonlyArray<string>
  readonly shares: ReadonlyArray<bigint>
  readonly payout: bigint
}

export interface ConversionFact extends Fact {
  readonly wallet: string
  readonly market: string
  readonly nos: ReadonlyArray<string>
  readonly yeses: ReadonlyArray<string>
  readonly amount: bigint
}

export interface TransferFact extends Fact {
  readonly sender: string
  readonly receiver: string
  readonly token: string
  readonly shares: bigint
}

export interface RefundFact extends Fact {
  readonly wallet: string
  readonly token: string
  readonly in_shares: boolean
  readonly amount: bigint
}

export interface ResolutionFact extends Fact {
  readonly condition: string
}

export interface FeeFact extends Fact {
  readonly receiver: string
  readonly token: string
  readonly usd: bigint
  readonly order_hash: string
}

export interface GainFact extends Fact {
  readonly wallet: string
  readonly token: string
  readonly reason: "sale" | "merge" | "refund" | "resolution"
  readonly amount: bigint
}

/** In chain order. */
export const inOrder = (a: Fact, b: Fact) => a.block - b.block || a.log_index - b.log_index || a.sub - b.sub

const numbered = <F extends Omit<Fact, "ordinal" | "kind">>(kind: string, rows: ReadonlyArray<F>) => {
  const all = rows.map((row) => ({ ...row, kind, ordinal: 0 })).toSorted(inOrder)
  for (const those of Map.groupBy(all, ({ tx }) => tx).values()) {
    for (const [place, one] of those.entries()) one.ordinal = place
  }
  return all
}

/**
 * Everything in the ledger up to a block, which other tests compare with the venue's books: tokens in decimal digits,
 * hashes and addresses with 0x.
 */
export const allFacts = Effect.fnUntraced(function* (upTo: number) {
  const { sql } = yield* Postgres
  const placeAt = (at: string) =>
    sql.literal(`f.block, f.log_index, ${at} as at, '0x' || encode(${transactionSql("f")}, 'hex') as tx`)
  const place = placeAt("f.at")
  const until = sql`where f.block <= ${upTo}::int`
  const tokens = yield* sql<{ id: number; hash: string; condition: number | null }>`
    select id, encode(hash, 'hex') as hash, condition from token`
  const conditionOf = new Map(tokens.map((row) => [row.id, row.condition]))
  const names = new Map(tokens.map(({ id, hash }) => [id, BigInt(`0x${hash}`).toString()]))
  const token = (id: number) => names.get(id) ?? ""
  const wallets = yield* sql<{ id: number; address: string }>`
    select id, '0x' || encode(address, 'hex') as address from wallet`
  const addresses = new Map(wallets.map(({ id, address }) => [id, address]))
  const wallet = (id: number) => addresses.get(id) ?? ""
  const conditions = yield* sql<{ id: number; hash: string }>`
    select id, '0x' || encode(hash, 'hex') as hash from condition`
  const hashes = new Map(conditions.map(({ id, hash }) => [id, hash]))
  const condition = (id: number) => hashes.get(id) ?? ""

  type Spelt = "wallet" | "token" | "condition" | "maker" | "taker"
  type Row<F> = Omit<F, "kind" | "ordinal" | "sub" | "tokens" | Spelt> & {
    readonly [name in Extract<keyof F, Spelt>]: number
  }
  const fills = yield* sql<Omit<Row<FillFact>, "taker"> & { readonly taker: number | null }>`
    select ${placeAt("to_timestamp(f.at)")}, '0x' || encode(f.order_hash, 'hex') as order_hash, f.maker,
      nullif(f.taker, 0) as taker, f.is_sale::int as side, f.token, f.shares, f.usd, f.fee,
      f.exchange < 2 and not f.is_sale as fee_in_shares, '0x' || encode(b.code, 'hex') as builder
    from fill f left join builder b on b.id = f.builder ${until}`
  const pairs = (table: "split" | "merge") => sql<Row<PairFact>>`
    select ${place}, f.wallet, f.condition, f.amount from ${sql(table)} f ${until}`
  const pairFacts = (table: "split" | "merge") =>
    Effect.map(
      pairs(table),
      (rows): ReadonlyArray<PairFact> =>
        numbered(
          table,
          rows.map((row) => ({ ...row, sub: 0, wallet: wallet(row.wallet), condition: condition(row.condition) })),
        ),
    )
  const redemptions = yield* sql<Row<RedemptionFact> & { readonly tokens: ReadonlyArray<number> }>`
    select ${place}, f.wallet, f.condition, f.tokens, f.shares, f.payout from redemption f ${until}`
  const conversions = yield* sql<
    Omit<Row<ConversionFact>, "nos" | "yeses"> & {
      readonly nos: ReadonlyArray<number>
      readonly yeses: ReadonlyArray<number>
    }
  >`
    select ${place}, f.wallet, '0x' || encode(f.neg_risk_market, 'hex') as market, f.nos, f.yeses, f.amount
    from conversion f ${until}`
  const transfers = yield* sql<
    Omit<Row<TransferFact>, "sender" | "receiver"> & {
      readonly sub: number
      readonly sender: number
      readonly receiver: number
    }
  >`
    select ${place}, f.sub, f.sender, f.receiver, f.token, f.shares from transfer f ${until}`
  const refunds = yield* sql<Row<RefundFact>>`
    select ${place}, f.wallet, f.token, f.in_shares, f.amount from fee_refund f ${until}`
  const resolutions = yield* sql<Row<ResolutionFact> & { readonly sub: number }>`
    select ${place}, f.sub, f.condition from resolution f ${until}`
  const fees = yield* sql<Omit<Row<FeeFact>, "receiver"> & { readonly receiver: number }>`
    select ${place}, f.receiver, f.token, f.usd, '0x' || encode(f.order_hash, 'hex') as order_hash
    from fee_charge f ${until}`
  const gains = yield* sql<Row<GainFact> & { readonly sub: number }>`
    select f.block, f.log_index, f.sub, f.at, '' as tx, f.wallet, f.token, f.amount,
      (array['sale', 'merge', 'refund', 'resolution'])[f.kind + 1] as reason
    from realized_event f ${until}`

  const facts = {
    fills: numbered(
      "fill",
      fills.map((row) => ({
        ...row,
        sub: 0,
        maker: wallet(row.maker),
        taker: row.taker === null ? null : wallet(row.taker),
        token: token(row.token),
      })),
    ) satisfies ReadonlyArray<FillFact>,
    splits: yield* pairFacts("split"),
    merges: yield* pairFacts("merge"),
    redemptions: numbered(
      "redemption",
      redemptions.map((row) => ({
        ...row,
        sub: 0,
        wallet: wallet(row.wallet),
        condition: condition(row.condition),
        tokens: row.tokens.map(token),
      })),
    ) satisfies ReadonlyArray<RedemptionFact>,
    conversions: numbered(
      "conversion",
      conversions.map((row) => ({
        ...row,
        sub: 0,
        wallet: wallet(row.wallet),
        nos: row.nos.map(token),
        yeses: row.yeses.map(token),
      })),
    ) satisfies ReadonlyArray<ConversionFact>,
    transfers: numbered(
      "transfer",
      transfers.map((row) => ({
        ...row,
        sender: wallet(row.sender),
        receiver: wallet(row.receiver),
        token: token(row.token),
      })),
    ) satisfies ReadonlyArray<TransferFact>,
    refunds: numbered(
      "fee_refund",
      refunds.map((row) => ({ ...row, sub: 0, wallet: wallet(row.wallet), token: token(row.token) })),
    ) satisfies ReadonlyArray<RefundFact>,
    resolutions: numbered(
      "resolution",
      resolutions.map((row) => ({ ...row, condition: condition(row.condition) })),
    ) satisfies ReadonlyArray<ResolutionFact>,
    fees: numbered(
      "fee_charge",
      fees.map((row) => ({ ...row, sub: 0, receiver: wallet(row.receiver), token: token(row.token) })),
    ) satisfies ReadonlyArray<FeeFact>,
  }

  const sources = { sale: facts.fills, merge: facts.merges, refund: facts.refunds, resolution: facts.resolutions }
  /** A log may resolve several conditions. */
  const placeOf = (reason: string, { block, log_index }: Pick<Fact, "block" | "log_index">, resolved: string) =>
    `${reason} ${block} ${log_index} ${reason === "resolution" ? resolved : ""}`
  const places = Object.entries(sources).flatMap(([reason, some]) =>
    (some as ReadonlyArray<Fact & { readonly condition?: string }>).map(
      (fact) => [placeOf(reason, fact, fact.condition ?? ""), fact] as const,
    ),
  )
  const byPlace = new Map(places)
  const realized = gains
    .map((row): GainFact => {
      const { tx = "", ordinal = 0 } =
        byPlace.get(placeOf(row.reason, row, condition(conditionOf.get(row.token) ?? -1))) ?? {}
      return { ...row, kind: row.reason, tx, ordinal, wallet: wallet(row.wallet), token: token(row.token) }
    })
    .toSorted(inOrder)
  return { ...facts, gains: realized }
})
export type Facts = Effect.Success<ReturnType<typeof allFacts>>
