import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type Usdc, usdc } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { actsOf } from "./acts.ts"
import { fees, feesPaid } from "./fees.ts"
import { type FlowHead, flowHead, flowsOf } from "./flows.ts"
import { findOwner, type List, readPage } from "./listSql.ts"
import type {
  ActivityKind,
  ActivityPage,
  ActivityQuery,
  FlowKind,
  FlowTotals,
  Listed,
  ListedAct,
  ListedFee,
  ListedFeePaid,
  ListedFlow,
  ListedRedemption,
} from "./model.ts"
import { redemptions } from "./redemptions.ts"

type Pages<A extends Listed, More = unknown> = (query: ActivityQuery) => Effect.Effect<ActivityPage<A> & More, SqlError>

/** Lists of what wallets did besides trading, and of fees, newest or oldest first. */
export class ActivityLists extends Context.Service<
  ActivityLists,
  {
    /** All kinds merged. */
    readonly acts: (kinds: ReadonlyArray<ActivityKind>) => Pages<ListedAct>
    /** Conversions that name a neg-risk market. */
    readonly negRiskConversions: Pages<ListedAct>
    readonly redemptions: Pages<ListedRedemption>
    readonly flows: (kind: FlowKind) => Pages<ListedFlow, { readonly totals: FlowTotals }>
    /** By receiver. */
    readonly fees: Pages<ListedFee>
    /** By the wallet whose order was charged. */
    readonly feesPaid: Pages<ListedFeePaid>
  }
>()("presage/activity/ActivityLists") {
  static readonly layer = Layer.effect(
    ActivityLists,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const pagesOf =
        <Row extends object, A extends Listed>(span: string, list: List<Row, A>): Pages<A> =>
        (query) =>
          Effect.flatMap(findOwner(reads, query.filter), (owner) => readPage(sql, list, query, owner)).pipe(
            Effect.withSpan(span),
          )
      const flows = Effect.fn("ActivityLists.flows")(function* (kind: FlowKind, query: ActivityQuery) {
        const owner = yield* findOwner(reads, query.filter)
        const head = flowHead(sql, kind, query.filter, owner)
        const page = yield* readPage<{ amount: Usdc<bigint> }, ListedFlow, FlowHead>(
          sql,
          flowsOf(kind),
          query,
          owner,
          head,
        )
        const { total_rows: rows = 0, deposited = usdc(0n), withdrawn = usdc(0n) } = page.head ?? {}
        return { ...page, totals: { rows, deposited, withdrawn } }
      })
      return ActivityLists.of({
        acts: (kinds) => pagesOf("ActivityLists.acts", actsOf(kinds)),
        negRiskConversions: pagesOf(
          "ActivityLists.negRiskConversions",
          actsOf(["conversion"], "f.neg_risk_market is not null"),
        ),
        redemptions: pagesOf("ActivityLists.redemptions", redemptions),
        flows: (kind) => (query) => flows(kind, query),
        fees: pagesOf("ActivityLists.fees", fees),
        feesPaid: pagesOf("ActivityLists.feesPaid", feesPaid),
      })
    }),
  )
}
