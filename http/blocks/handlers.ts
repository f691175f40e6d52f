import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { BlockReceipts } from "#src/receipts/BlockReceipts.ts"
import { watchedContracts } from "#src/upstream/chain/logFilters.ts"
import { Api } from "../Api.ts"
import { allowTime } from "../server/deadline.ts"
import { BadInput, unavailable } from "../server/errors.ts"
import { maxBlocks } from "./group.ts"
import { notStored, rangeJson, receiptJson, replaced } from "./translate.ts"

/** A node may take its time for the logs of a hundred blocks. */
const nodeTime = "30 seconds"

export const BlocksHandlers = HttpApiBuilder.group(
  Api,
  "blocks",
  Effect.fnUntraced(function* (handlers) {
    const receipts = yield* BlockReceipts
    const read = (from: number, to: number) =>
      receipts.read({ from, to }).pipe(
        Effect.map((all) => all.map(receiptJson)),
        Effect.catchTags({
          BlocksNotStored: (failure) => Effect.fail(notStored(failure)),
          BlocksNotOnNode: () => Effect.fail(replaced),
          UpstreamFailure: unavailable("receipts"),
          RpcRefusal: unavailable("receipts"),
          SqlError: unavailable("receipts"),
        }),
      )
    return handlers.handleAll({
      receipt: Effect.fnUntraced(function* ({ params: { number }, request }) {
        allowTime(request, nodeTime)
        const [receipt] = yield* read(number, number)
        if (receipt === undefined) return yield* replaced
        return { ...receipt, contracts: watchedContracts }
      }),
      receipts: Effect.fnUntraced(function* ({ query: { from, to }, request }) {
        allowTime(request, nodeTime)
        if (to < from || to - from >= maxBlocks)
          return yield* new BadInput({
            error: `Parameter "to": expected ${from} to ${from + maxBlocks - 1}, at most ${maxBlocks} blocks, got ${to}.`,
            param: "to",
          })
        return rangeJson(from, to, yield* read(from, to))
      }),
    })
  }),
)
