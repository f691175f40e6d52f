import { Effect, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import { joined, type Stretch } from "./batches.ts"
import { historyReader } from "./HistoryReader.ts"
import { RangeWidth } from "./RangeWidth.ts"
import { factsAtOnce, logsWanted } from "./settings.ts"
import type { RangeMeaning } from "./understandRange.ts"

const rangesAhead = 5

export interface Range {
  readonly from: number
  readonly to: number
}

const blocksIn = ({ from, to }: Range) => to - from + 1

/** Reads old blocks in ranges as wide as the node likes, ahead of whoever takes them. */
export const readHistory = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  const width = new RangeWidth()

  const rangesIn = ({ from, to }: Range) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        if (next > to) return undefined
        const range: Range = { from: next, to: Math.min(to, next + width.blocks - 1) }
        return [range, range.to + 1] as const
      }),
    )

  const stretchesIn = ({ from, to }: Range, read: RangeReader<RangeMeaning>) => {
    let next = from

    /** What happened in a range, or nothing when it is too much for the node. */
    const stretchOf = (range: Range) => {
      const blocks = blocksIn(range)
      return node.logs(range, read).pipe(
        Effect.map(({ count, stretch }) => {
          width.answered(blocks, count, config.get(logsWanted))
          return stretch
        }),
        Effect.catchTag("RangeTooLarge", (failure) => {
          if (blocks === 1) return Effect.fail(failure)
          width.refused(blocks)
          return Effect.undefined
        }),
      )
    }

    const untilTooLarge = Stream.suspend(() => rangesIn({ from: next, to })).pipe(
      Stream.mapEffect(stretchOf, { concurrency: rangesAhead }),
      Stream.takeWhile((stretch) => stretch !== undefined),
      Stream.map((stretch) => {
        next = stretch.last.number + 1
        return stretch
      }),
    )
    // Whatever was asked for beyond a range that is too large was about as wide, so all begins anew there.
    return Stream.unfold(undefined, () =>
      Effect.sync(() => (next > to ? undefined : ([next, undefined] as const))),
    ).pipe(Stream.flatMap(() => untilTooLarge))
  }

  /** Stretches in order, those in which little happened together. */
  return (range: Range) =>
    Stream.unwrap(Effect.map(historyReader, (read) => stretchesIn(range, read))).pipe(
      Stream.mapAccum(
        (): Stretch | undefined => undefined,
        (earlier, value) => {
          const stretch = earlier === undefined ? value : joined(earlier, value)
          const isEnough = stretch.facts.length >= config.get(factsAtOnce) || stretch.last.number === range.to
          return isEnough ? [undefined, [stretch]] : [stretch, []]
        },
      ),
    )
})
