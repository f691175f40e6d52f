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

interface Counted {
  readonly count: number
  readonly stretch: Stretch
}

/** Reads old blocks in ranges as wide as the node likes, ahead of whoever takes them. */
export const readHistory = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  let width = firstWidth

  /** What happened in a range, read in parts where it is too much for the node. */
  const meaningOf = (
    range: Range,
    read: RangeReader<RangeMeaning>,
  ): Effect.Effect<Counted, Effect.Error<ReturnType<typeof node.logs>>> =>
    Effect.catchTag(node.logs(range, read), "RangeTooLarge", (failure) => {
      const blocks = range.to - range.from + 1
      if (blocks === 1) return Effect.fail(failure)
      const half = Math.floor(blocks / 2)
      width = half
      return Effect.gen(function* () {
        const earlier = yield* meaningOf({ from: range.from, to: range.from + half - 1 }, read)
        const later = yield* meaningOf({ from: range.from + half, to: range.to }, read)
        return { count: earlier.count + later.count, stretch: joined(earlier.stretch, later.stretch) }
      })
    })

  /** So that the next answer has about as many logs as wanted. */
  const adapt = (count: number, blocks: number) => {
    const fitting = Math.floor((blocks * config.get(logsWanted)) / Math.max(1, count))
    width = Math.min(widestRange, Math.max(1, Math.min(fitting, width * 2)))
  }

  const stretchBy = (read: RangeReader<RangeMeaning>) =>
    Effect.fnUntraced(function* (range: Range) {
      const { count, stretch } = yield* meaningOf(range, read)
      adapt(count, range.to - range.from + 1)
      return stretch
    })

  const rangesIn = ({ from, to }: Range) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        if (next > to) return undefined
        const range: Range = { from: next, to: Math.min(to, next + width - 1) }
        return [range, range.to + 1] as const
      }),
    )

  /** Stretches in order, those in which little happened together. */
  return (range: Range) =>
    Stream.unwrap(
      Effect.map(historyReader, (read) =>
        Stream.mapEffect(rangesIn(range), stretchBy(read), { concurrency: rangesAhead }),
      ),
    ).pipe(
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
