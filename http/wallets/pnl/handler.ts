import { Effect } from "effect"
import { noSums } from "#src/positions/sums/model.ts"
import { WalletPnl } from "#src/wallets/WalletPnl.ts"
import type { RequestOf } from "../../server/RequestOf.ts"
import { objectAnswers } from "../../v3/objects.ts"
import { wholeLists } from "../../v3/wholeLists.ts"
import type { WalletPnlGroup } from "../group.ts"
import { readPnlQuery, readWindow, refusal } from "../input.ts"
import { bucketLimit } from "../parameters.ts"
import { bucketColumns } from "../shapes.ts"
import { shownBucket, shownCombos, shownSums, shownTotals, shownWindow } from "../translate.ts"
import { pnlInTurn } from "./concurrency.ts"

const format = { key: "buckets", columns: bucketColumns, covers: "positions" } as const

/** P&L of all time or in a window, and its development. Both count for the same concurrency limit. */
export const pnlHandlers = Effect.gen(function* () {
  const pnl = yield* WalletPnl
  const object = yield* objectAnswers
  const list = yield* wholeLists
  const inTurn = yield* pnlInTurn
  return {
    pnl: Effect.fnUntraced(function* ({ params: { address }, query }: RequestOf<typeof WalletPnlGroup, "pnl">) {
      const { window, scope, named, withCombos, withNow } = yield* readPnlQuery(query)
      const head = { address, period: query.period ?? (window.kind === "all" ? "all" : "custom"), ...named }
      if (window.kind === "all") {
        const found = Effect.catch(pnl.allTime({ address, scope, withCombos }), refusal)
        return yield* object(
          "positions",
          Effect.map(found, ({ sums, combos, asOf }) => ({
            body: { ...head, ...shownSums(sums[0] ?? noSums), ...(combos && shownCombos(combos)) },
            asOf,
          })),
        )
      }
      const found = Effect.catch(pnl.window({ address, scope, window, withCombos, withNow }), refusal)
      const read = Effect.map(found, (sums) => ({ body: { ...head, ...shownWindow(sums) }, asOf: sums.asOf }))
      return yield* inTurn(object("positions", read))
    }),
    events: ({ params: { address }, query }: RequestOf<typeof WalletPnlGroup, "events">) =>
      inTurn(
        list(
          { ...format, subject: { address } },
          Effect.gen(function* () {
            const { group = "day", limit = bucketLimit.default } = query
            const window = yield* readWindow(query)
            const found = yield* Effect.catch(pnl.buckets({ address, window, group, limit }), refusal)
            const rest = { granularity: group, ...shownTotals(found) }
            return { rows: found.buckets.map(shownBucket), asOf: found.asOf, rest }
          }),
        ),
      ),
  }
})
