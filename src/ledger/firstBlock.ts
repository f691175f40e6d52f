import { Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { upstream } from "#src/upstream/settings.ts"
import { goalBlock } from "./goalBlock.ts"
import { AutoHistoryDays, parseGoal } from "./historyGoal.ts"
import { historyGoal, historyOrder, startBlock } from "./settings.ts"

/** The venue's first contract on the real chain. */
export const venueBegan = 33_605_403

/**
 * Blocks that a ledger reads before the head if it follows the head first: every node has the balances of that many
 * blocks, and a reorganisation may replace some of them.
 */
const blocksBeforeHead = 64

/** First block in which the venue can have facts. */
export const venueFrom = Effect.gen(function* () {
  const node = yield* ChainNode
  return Math.max(venueBegan, (yield* node.earliest)?.number ?? 0)
})

/** First block that the ledger is to cover in the end. */
export const historyTarget = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  const isSimulated = config.get(upstream) === "simulator"
  const goal = parseGoal(config.get(historyGoal), isSimulated, yield* AutoHistoryDays)
  const first = yield* goalBlock(goal, yield* venueFrom, (yield* node.head).number)
  return Math.max(first, config.get(startBlock))
})

/** Whether the ledger follows the head first and reads history behind it. */
const isNewestFirst = Effect.map(Configuration, (config) => {
  const order = config.get(historyOrder)
  return order === "auto" ? config.get(upstream) !== "simulator" : order === "newest-first"
})

/** First block of a new ledger. */
export const firstBlock = Effect.gen(function* () {
  const node = yield* ChainNode
  const head = (yield* node.head).number
  const newest = Math.max(head - blocksBeforeHead, yield* venueFrom)
  // Where history begins may take many requests to find, and nobody waits for it.
  if (yield* isNewestFirst) return newest
  const target = yield* historyTarget
  return target < head ? target : newest
})
