import { Effect, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { joinRanges } from "./batches.ts"
import type { DecodedAnswer } from "./decodeRange.ts"
import { historyReader } from "./HistoryReader.ts"
import type { DecodedRange } from "./model.ts"
import { RangeWidth } from "./RangeWidth.ts"
import { factsPerWrite, logsPerRequest } from "./settings.ts"

const rangesAhead = 5

const blocksIn = ({ from, to }: BlockRange) => to - from + 1

/** Reads finalized blocks in ranges as wide as the node accepts, ahead of the consumer. */
export const readHistory = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  const width = new RangeWidth()

  const rangesIn = ({ from, to }: BlockRange) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        if (next > to) return undefined
        const range: BlockRange = { from: next, to: Math.min(to, next + width.blocks - 1) }
        return [range, range.to + 1] as const
      }),
    )

  const decodedIn = ({ from, to }: BlockRange, read: RangeReader<DecodedAnswer>) => {
    let next = from

    /** Undefined if the range is too large for the node. */
    const decode = (range: BlockRange) => {
      const blocks = blocksIn(range)
      return node.logs(range, read).pipe(
        Effect.map(({ count, decoded }) => {
          width.answered(blocks, count, config.get(logsPerRequest))
          return decoded
        }),
        Effect.catchTag("RangeTooLarge", (failure) => {
          if (blocks === 1) return Effect.fail(failure)
          width.refused(blocks, failure.suggestedBlocks)
          return Effect.undefined
        }),
      )
    }

    const untilTooLarge = Stream.suspend(() => rangesIn({ from: next, to })).pipe(
      Stream.mapEffect(decode, { concurrency: rangesAhead }),
      Stream.takeWhile((decoded) => decoded !== undefined),
      Stream.map((decoded) => {
        next = decoded.last.number + 1
        return decoded
      }),
    )
    // Requests beyond a range that is too large were about as wide, so reading restarts at that range.
    return Stream.unfold(undefined, () =>
      Effect.sync(() => (next > to ? undefined : ([next, undefined] as const))),
    ).pipe(Stream.flatMap(() => untilTooLarge))
  }

  /** Decoded ranges in order; ranges with few facts are joined. */
  return (range: BlockRange) =>
    Stream.unwrap(Effect.map(historyReader, (read) => decodedIn(range, read))).pipe(
      Stream.mapAccum(
        (): DecodedRange | undefined => undefined,
        (earlier, value) => {
          const decoded = earlier === undefined ? value : joinRanges(earlier, value)
          const isEnough = decoded.facts.length >= config.get(factsPerWrite) || decoded.last.number === range.to
          return isEnough ? [undefined, [decoded]] : [decoded, []]
        },
      ),
    )
})
