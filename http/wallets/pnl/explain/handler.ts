import { Effect } from "effect"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import type { RequestOf } from "../../../server/RequestOf.ts"
import { pagedLists } from "../../../v3/pages.ts"
import type { WalletPnlGroup } from "../../group.ts"
import { readExplained, unexplained } from "../../input.ts"
import { lineLimit } from "../../parameters.ts"
import { lineColumns } from "../../shapes.ts"
import { continuationIn, integersOf, shownLines, shownPositions } from "./translate.ts"

export const explainHandler = Effect.gen(function* () {
  const pnl = yield* WalletPnl
  const paged = yield* pagedLists
  return ({ params: { address }, query }: RequestOf<typeof WalletPnlGroup, "explain">) => {
    const format = {
      list: "explain",
      key: "lines",
      columns: lineColumns,
      subject: { address },
      covers: "positions",
    } as const
    const given = { ...query, limit: query.limit ?? lineLimit.default }
    return paged(format, given, ({ limit, behind }, { condition_id, token_id }) =>
      Effect.gen(function* () {
        const scope = yield* readExplained(condition_id, token_id)
        const wanted = { address, scope, limit, behind: continuationIn(behind) }
        const found = yield* Effect.catch(pnl.explain(wanted), unexplained)
        return {
          rows: shownLines(found),
          next: found.next && integersOf(found.next),
          asOf: found.asOf,
          more: { positions: shownPositions(found) },
        }
      }),
    )
  }
})
