import { Effect, Option, Stream } from "effect"
import { Configuration } from "#src/platform/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { joined, type Stretch, stretchOf } from "./batches.ts"
import { factsAtOnce, logsWanted } from "./settings.ts"

const widestRange = 10_000
const firstWidth = 500
const rangesAhead = 5

export interface Range {
  readonly from: number
  readonly to: number
}

/** Reads old blocks in ranges as wide as the node likes, ahead of whoever takes them. */
export const readHistory = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  let width = firstWidth

  /** All logs of a range, in parts where it is too much for the node. */
  const logsOf = (range: Range): Effect.Effect<ReadonlyArray<ChainLog>, Effect.Error<ReturnType<typeof node.logs>>> =>
    node.logs(range).pipe(
      Effect.map(({ logs }) => logs),
      Effect.catchTag("RangeTooLarge", (failure) => {
        const count = range.to - range.from + 1
        if (count === 1) return Effect.fail(failure)
        const middle = range.from + Math.floor(count / 2)
        width = Math.max(1, Math.floor(count / 2))
        const parts = [
          { from: range.from, to: middle - 1 },
          { from: middle, to: range.to },
        ]
        return Effect.map(Effect.forEach(parts, logsOf), (both) => both.flat())
      }),
    )

  /** So that the next answer has about as many logs as wanted. */
  const adapt = (count: number, blocks: number) => {
    const fitting = Math.floor((blocks * config.get(logsWanted)) / Math.max(1, count))
    width = Math.min(widestRange, Math.max(1, Math.min(fitting, width * 2)))
  }

  const stretchIn = Effect.fnUntraced(function* (range: Range) {
    const logs = yield* logsOf(range)
    adapt(logs.length, range.to - range.from + 1)
    const last = yield* node.header(range.to)
    return last === undefined ? Option.none() : Option.some(stretchOf(logs, last))
  })

  const rangesIn = ({ from, to }: Range) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        if (next > to) return undefined
        const range: Range = { from: next, to: Math.min(to, next + width - 1) }
        return [range, range.to + 1] as const
      }),
    )

  /** Stretches in order, those in which little happened together. It ends early at a block that the node does not have. */
  return (range: Range) =>
    rangesIn(range).pipe(
      Stream.mapEffect(stretchIn, { concurrency: rangesAhead }),
      Stream.takeWhile(Option.isSome),
      Stream.mapAccum(
        (): Stretch | undefined => undefined,
        (earlier, { value }) => {
          const stretch = earlier === undefined ? value : joined(earlier, value)
          const isEnough = stretch.facts.length >= config.get(factsAtOnce) || stretch.last.number === range.to
          return isEnough ? [undefined, [stretch]] : [stretch, []]
        },
      ),
    )
})
