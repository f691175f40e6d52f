import { Effect, Stream } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import { joined, type Stretch } from "./batches.ts"
import { historyReader } from "./HistoryReader.ts"
import { factsAtOnce, logsWanted } from "./settings.ts"
import type { RangeMeaning } from "./understandRange.ts"

const widestRange = 10_000
const firstWidth = 500
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
  let width = firstWidth

  /** So that the next answer has about as many logs as wanted. */
  const adapt = (count: number, blocks: number) => {
    const fitting = Math.floor((blocks * config.get(logsWanted)) / Math.max(1, count))
    width = Math.min(widestRange, Math.max(1, Math.min(fitting, width * 2)))
  }

  const rangesIn = ({ from, to }: Range) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        if (next > to) return undefined
        const range: Range = { from: next, to: Math.min(to, next + width - 1) }
        return [range, range.to + 1] as const
      }),
    )

  const stretchesIn = ({ from, to }: Range, read: RangeReader<RangeMeaning>) => {
    let next = from
    let tooWide: number | undefined

    /** What happened in a range, or nothing when it is too much for the node. */
    const stretchOf = (range: Range) => {
      const blocks = blocksIn(range)
      return node.logs(range, read).pipe(
        Effect.map(({ count, stretch }) => {
          adapt(count, blocks)
          return stretch
        }),
        Effect.catchTag("RangeTooLarge", (failure) => {
          if (blocks === 1) return Effect.fail(failure)
          tooWide = Math.min(blocks, tooWide ?? blocks)
          return Effect.undefined
        }),
      )
    }

    const untilTooLarge = Stream.suspend(() => {
      // A node that refuses would still give several times as much as is wanted.
      if (tooWide !== undefined) width = Math.ceil(tooWide / 4)
      tooWide = undefined
      return rangesIn({ from: next, to })
    }).pipe(
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
