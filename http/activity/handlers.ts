import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { ActivityLists } from "#src/activity/ActivityLists.ts"
import { type ActivityPage, type ActivityQuery, activityKinds, type Listed } from "#src/activity/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { Api } from "../Api.ts"
import { unavailable } from "../server/errors.ts"
import type { Row } from "../v3/answer.ts"
import { type PageParameters, pagedLists, type WantedPage } from "../v3/pages.ts"
import { maxOffset } from "../v3/parameters.ts"
import { rebatesHandler } from "./rebates/handler.ts"
import * as shapes from "./shapes.ts"
import * as translate from "./translate.ts"

interface Given extends PageParameters {
  readonly after?: number
  readonly before?: number
}

interface ListAnswer<A extends Listed, Page extends ActivityPage<A>> {
  /** Cursors of one list are none of another. */
  readonly list: string
  readonly key?: string
  readonly shape: { readonly fields: object }
  readonly subject?: Readonly<Record<string, string>>
  readonly owner?: string
  readonly pages: (query: ActivityQuery) => Effect.Effect<Page, SqlError>
  readonly shown: (row: A) => Row
  /** Further fields of the answer. */
  readonly more?: (page: Page, wanted: WantedPage) => Readonly<Record<string, unknown>>
}

const feeSemantics =
  "Fees of the wallet's own orders, in dollars: `fee` as charged, `fee_paid` less what was refunded in the same transaction. Fees in shares count at the price of the trade."
const rawNote = "An integer of 10^-6 dollars, of this page alone: add up all pages for the sum of all fees."

const storeFailed = unavailable("activity")

/** Null where the next page has no offset. */
const nextOffset = ({ next }: ActivityPage<Listed>, { offset, limit, behind }: WantedPage): number | null =>
  next === undefined || behind !== undefined || offset + limit > maxOffset ? null : offset + limit

export const ActivityHandlers = HttpApiBuilder.group(
  Api,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* ActivityLists
    const paged = yield* pagedLists
    const rebates = yield* rebatesHandler

    const answer = <A extends Listed, Page extends ActivityPage<A>>(
      given: Given,
      { list, key = "data", shape, owner, subject = {}, pages, shown, more }: ListAnswer<A, Page>,
    ) => {
      const columns = Object.keys(shape.fields)
      return paged({ key, columns, subject, covers: "facts" }, { ...given, list }, (wanted, { after, before }) => {
        const { behind, ...page } = wanted
        const query = { ...page, filter: { owner, after, before }, behind: translate.placeIn(behind) }
        return Effect.map(Effect.catch(pages(query), storeFailed), (found) => ({
          rows: found.rows.map(shown),
          next: found.next && translate.positionOf(found.next),
          asOf: found.asOf,
          more: more?.(found, wanted) ?? {},
        }))
      })
    }
    const ofWallet = (address: string) => ({ owner: address, subject: { address } })

    return handlers
      .handleRaw("activity", ({ params: { address }, query }) =>
        answer(query, {
          list: "activity",
          shape: shapes.Act,
          ...ofWallet(address),
          pages: lists.acts(activityKinds),
          shown: translate.shownAct,
        }),
      )
      .handleRaw("splits", ({ params: { address }, query }) =>
        answer(query, {
          list: "splits",
          shape: shapes.Pair,
          ...ofWallet(address),
          pages: lists.acts(["split"]),
          shown: translate.shownPair,
        }),
      )
      .handleRaw("merges", ({ params: { address }, query }) =>
        answer(query, {
          list: "merges",
          shape: shapes.Pair,
          ...ofWallet(address),
          pages: lists.acts(["merge"]),
          shown: translate.shownPair,
        }),
      )
      .handleRaw("redemptions", ({ params: { address }, query }) =>
        answer(query, {
          list: "redemptions",
          shape: shapes.Redemption,
          ...ofWallet(address),
          pages: lists.redemptions,
          shown: translate.shownRedemption,
          more: (page, wanted) => ({
            next_offset: nextOffset(page, wanted),
            order: wanted.order,
            source: "onchain",
          }),
        }),
      )
      .handleRaw("conversions", ({ params: { address }, query }) =>
        answer(query, {
          list: "nrc",
          shape: shapes.Conversion,
          ...ofWallet(address),
          pages: lists.negRiskConversions,
          shown: translate.shownConversion,
        }),
      )
      .handleRaw("feesPaid", ({ params: { address }, query }) =>
        answer(query, {
          list: "fees-paid",
          key: "fees",
          shape: shapes.FeePaid,
          ...ofWallet(address),
          pages: lists.feesPaid,
          shown: translate.shownFeePaid,
          more: ({ rows }) => {
            const total = rows.reduce((sum, { paid }) => sum + paid, 0n)
            return {
              page_total_fees_paid: exactAmount(total),
              page_total_fees_paid_raw: String(total),
              page_total_fees_paid_raw_note: rawNote,
              fee_semantics: feeSemantics,
              after: String(query.after ?? 0),
              before: String(query.before ?? 9_999_999_999),
            }
          },
        }),
      )
      .handleRaw("flows", ({ params: { address }, query }) =>
        answer(query, {
          list: "polyusd-flows",
          key: "flows",
          shape: shapes.Flow,
          ...ofWallet(address),
          pages: lists.flows(query.kind ?? "all"),
          shown: translate.shownFlow(address),
          more: ({ totals: { rows, deposited, withdrawn } }) => ({
            total_matching_rows: rows,
            total_deposited: exactAmount(deposited),
            total_withdrawn: exactAmount(withdrawn),
            net_deposited: exactAmount(deposited - withdrawn),
            source: "onchain",
          }),
        }),
      )
      .handleRaw("rebates", rebates)
      .handleRaw("fees", ({ query }) =>
        answer(query, { list: "fees", shape: shapes.Fee, pages: lists.fees, shown: translate.shownFee }),
      )
      .handleRaw("ofReceiver", ({ params: { receiver }, query }) =>
        answer(query, {
          list: "fees",
          shape: shapes.Fee,
          owner: receiver,
          subject: { receiver },
          pages: lists.fees,
          shown: translate.shownFee,
        }),
      )
  }),
)
