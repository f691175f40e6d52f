import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"
import type { TrueAct, TrueActivity, TruePlace } from "./trueActivity.ts"

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers
export type Json = any

/** Ids begin with the transaction; the venue's books know no log indexes. */
const txOf = ({ id }: { readonly id: string }) => id.split("_")[0]

/** The slugs of the markets that the catalogue lists. */
export const listedSlugs = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ condition: string; slug: string }>`
    select '0x' || encode(c.hash, 'hex') as condition, m.slug from market m join condition c on c.id = m.condition`
  const listed = new Map(rows.map(({ condition, slug }) => [condition, slug]))
  return (market: Market | undefined) => {
    const slug = listed.get(market?.conditionId ?? "") ?? null
    assert.isTrue(slug === null || slug === market?.plan.slug)
    return slug
  }
})

interface Comparable<T extends TruePlace> {
  readonly path: string
  readonly key: string
  readonly truth: ReadonlyArray<T>
  readonly expected: (row: T) => ReadonlyArray<unknown>
  readonly shown: (row: Json) => ReadonlyArray<unknown>
}

/** A list, what the venue's books have of it, and how a row is compared with them. */
export interface Compared {
  readonly path: string
  readonly key: string
  readonly expected: ReadonlyArray<{ readonly at: number; readonly row: ReadonlyArray<unknown> }>
  readonly shown: (row: Json) => ReadonlyArray<unknown>
}

const compared = <T extends TruePlace>({ truth, expected, ...list }: Comparable<T>): Compared => ({
  ...list,
  expected: truth.map((row) => ({ at: row.at, row: expected(row) })),
})

/** Every list of activity, with what the venue's books have of it. */
export const comparedLists = (
  { model }: Simulation,
  truth: TrueActivity,
  slugOf: (market: Market | undefined) => string | null,
) => {
  const idOf = (token: number) => (model.world.venue.tokens[token] as Token).id

  const ofWallet = (wallet: string) => {
    const acts = truth.acts.filter((act) => act.wallet === wallet)
    const of = (type: string) => acts.filter((act) => act.type === type)
    const pair = {
      key: "data",
      expected: ({ tx, at, ref, amount, market }: TrueAct) => [
        tx,
        String(at),
        ref,
        decimalAmount(BigInt(amount)),
        slugOf(market),
      ],
      shown: (row: Json) => [txOf(row), row.timestamp, row.condition, row.amount, row.slug],
    }
    return [
      compared({
        path: `/v3/wallets/${wallet}/activity`,
        key: "data",
        truth: acts,
        expected: ({ tx, at, type, ref, amount, extra, market }) => [
          tx,
          String(at),
          type,
          ref,
          decimalAmount(BigInt(amount)),
          extra,
          slugOf(market),
        ],
        shown: (row) => [txOf(row), row.timestamp, row.event_type, row.ref_id, row.amount, row.extra, row.slug],
      }),
      compared({ path: `/v3/wallets/${wallet}/splits`, truth: of("split"), ...pair }),
      compared({ path: `/v3/wallets/${wallet}/merges`, truth: of("merge"), ...pair }),
      compared({
        path: `/v3/wallets/${wallet}/nrc`,
        key: "data",
        truth: of("conversion").filter(({ ref }) => ref !== null),
        expected: ({ tx, at, ref, amount, extra, questions }) => [
          tx,
          String(at),
          ref,
          decimalAmount(BigInt(amount)),
          extra,
          questions,
        ],
        shown: (row) => [
          row.transaction_hash,
          row.timestamp,
          row.neg_risk_market_id,
          row.amount,
          row.index_set,
          row.question_count,
        ],
      }),
      compared({
        path: `/v3/wallets/${wallet}/redemptions`,
        key: "data",
        truth: of("redemption"),
        expected: ({ tx, block, at, ref, amount, extra, market }) => {
          const payouts = market?.payouts ?? [0, 0]
          const winner = payouts[0] > 0 && payouts[1] > 0 ? null : payouts[0] > 0 ? 0 : 1
          const isListed = slugOf(market) !== null
          const outcomes = isListed ? market?.plan.outcomes : market?.isCombo ? ["Yes", "No"] : null
          const tokens = market?.tokens.map(idOf) ?? []
          return [
            [tx, block, String(at), ref, ref, String(amount), exactAmount(amount), decimalAmount(BigInt(amount))],
            extra?.split(","),
            [slugOf(market), isListed ? market?.plan.question : null, isListed ? market?.event.plan.slug : null],
            tokens,
            outcomes,
            payouts.map((payout) => payout / (payouts[0] + payouts[1])),
            [winner, winner === null ? null : (outcomes?.[winner] ?? null), winner === null ? null : tokens[winner]],
            market?.legs === undefined ? ["conditional_tokens", "PayoutRedemption"] : ["module", "PositionRedeemed"],
          ]
        },
        shown: (row) => [
          [
            row.transaction_hash,
            row.block_number,
            row.timestamp,
            row.condition,
            row.condition_id,
            row.payout_e6,
            row.payout_usdc,
            row.payout,
          ],
          row.index_sets,
          // The legs of a combo are its title.
          [row.market_slug, row.market_slug === null ? null : row.market_title, row.event_slug],
          row.token_ids,
          row.outcomes,
          row.outcome_prices,
          [row.winning_outcome_index, row.winning_outcome, row.winning_token_id],
          [row.redemption_source, row.source_event],
        ],
      }),
      compared({
        path: `/v3/wallets/${wallet}/fees-paid`,
        key: "fees",
        truth: truth.feesPaid.filter((fee) => fee.wallet === wallet),
        expected: ({ tx, at, token, isSale, shares, charged, paid }) => [
          tx,
          String(at),
          token.id,
          token.market.conditionId,
          slugOf(token.market),
          isSale ? "SELL" : "BUY",
          exactAmount(shares),
          exactAmount(charged),
          exactAmount(paid),
          String(paid),
          wallet,
        ],
        shown: (row) => [
          txOf(row),
          row.timestamp,
          row.token_id,
          row.condition_id,
          row.slug,
          row.direction,
          row.size,
          row.fee,
          row.fee_paid,
          row.fee_paid_raw,
          row.maker,
        ],
      }),
      ...(["all", "deposit", "withdrawal"] as const).map((kind) =>
        compared({
          path: `/v3/wallets/${wallet}/polyusd-flows?kind=${kind}`,
          key: "flows",
          truth: truth.flows.filter(
            (flow) => flow.wallet === wallet && (kind === "all" || flow.amount > 0 === (kind === "deposit")),
          ),
          expected: ({ tx, block, at, amount }) => [
            tx,
            block,
            at,
            amount > 0 ? "deposit" : "withdrawal",
            exactAmount(Math.abs(amount)),
            String(Math.abs(amount)),
            amount > 0 ? wallet : null,
          ],
          shown: (row) => [
            row.transaction_hash,
            row.block_number,
            row.block_timestamp,
            row.direction,
            row.amount,
            row.amount_raw,
            row.recipient,
          ],
        }),
      ),
    ]
  }
  const feesOf = (receiver: string | undefined) =>
    compared({
      path: receiver === undefined ? "/v3/fees" : `/v3/fees/${receiver}`,
      key: "data",
      truth: truth.fees.filter((fee) => receiver === undefined || fee.receiver === receiver),
      expected: (fee) => [
        fee.tx,
        String(fee.at),
        fee.receiver,
        decimalAmount(BigInt(fee.usd)),
        fee.token,
        fee.orderHash,
      ],
      shown: (row) => [row.transaction_hash, row.timestamp, row.receiver, row.amount, row.token_id, row.order_hash],
    })
  return { ofWallet, feesOf }
}
