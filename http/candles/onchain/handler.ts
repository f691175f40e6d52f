import { Effect } from "effect"
import type { Hex } from "viem"
import { type MarketName, TokenCandles } from "#src/candles/TokenCandles.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { unavailable } from "../../server/errors.ts"
import { datedAnswers } from "../../v3/objects.ts"
import { onchainCandleLimit } from "../group.ts"
import { notFound, only, seriesReader, storeFailed } from "../readSeries.ts"
import { shownOnchain } from "../translate.ts"
import { checkAnchors, type OnchainParameters } from "./input.ts"

/** The time of a block or transaction that a request names instead of a time. */
const anchorTimes = Effect.gen(function* () {
  const candles = yield* TokenCandles
  const node = yield* ChainNode
  return Effect.fnUntraced(function* ({ anchor_block, anchor_tx, anchor_ts }: OnchainParameters) {
    yield* checkAnchors({ anchor_block, anchor_tx, anchor_ts })
    const block =
      anchor_tx === undefined
        ? anchor_block
        : yield* Effect.catch(node.blockOfTransaction(anchor_tx as Hex), unavailable("transactions"))
    if (block === undefined)
      return anchor_tx === undefined ? anchor_ts : yield* notFound(`The node knows no transaction ${anchor_tx}.`)
    const at = yield* Effect.catch(candles.blockTime(block), storeFailed)
    return at ?? (yield* notFound(`The ledger has no block ${block}.`))
  })
})

/** Candles of one token, in the form of the older families. */
export const onchainHandler = Effect.gen(function* () {
  const anchorTime = yield* anchorTimes
  const read = yield* seriesReader
  const dated = yield* datedAnswers
  return (name: MarketName, parameters: OnchainParameters) =>
    dated(
      "facts",
      Effect.gen(function* () {
        const { anchor_block: _, anchor_tx: __, ...query } = parameters
        const at = yield* anchorTime(parameters)
        const given = { ...query, ...(at === undefined ? {} : { anchor_ts: at }) }
        const token = name.kind === "token" ? name.value : undefined
        const { series, window, resolution, asOf } = yield* read(name, token, given, onchainCandleLimit)
        return { body: shownOnchain(yield* only(series), window, resolution), asOf }
      }),
    )
})
