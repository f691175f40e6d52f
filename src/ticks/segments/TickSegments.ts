import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type Coin, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type Part, partsOf } from "./parts.ts"
import type { Segment } from "./Segment.ts"
import { makeSegments, type SegmentRef } from "./Segments.ts"
import { type Feed, readRows, readState } from "./segmentSql.ts"
import { runsOf, segmentStart, segmentMillis, segmentIndex } from "./segmentTimes.ts"

/** Ticks with `from` <= time < `to`, in milliseconds, oldest first, at most `limit`. */
export interface TickQuery {
  readonly coin: Coin
  /** All of them when there is none. */
  readonly source: TickSource | undefined
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** What was found, as it is sent: JSON objects with a comma before each but the first. */
export interface EncodedTicks {
  readonly count: number
  readonly bytes: number
  /** When the newest tick was that is known of these sources. */
  readonly newest: number | undefined
  /** The bytes, as they are asked for. They belong to everybody: not to be changed. */
  readonly pieces: () => AsyncIterable<Buffer>
}

/** Somebody read so slowly, or so little can be kept, that the rest of their answer is no longer what it was. */
export class TicksChanged extends Schema.TaggedError<TicksChanged>()("TicksChanged", {}) {
  override get message() {
    return "the ticks changed while they were being sent; setting ticks.segment-memory keeps more of them"
  }
}

/** Rows of a segment, or rows read for this answer alone. */
type Piece = { readonly rows: number; readonly bytes: Buffer } | Cut
interface Cut extends SegmentRef {
  readonly rows: number
  readonly firstRow: number
  readonly start: number
  readonly end: number
}

/** Those of five days: a few milliseconds of work. */
const partsPerTurn = 720
const rowsPerStretch = segmentMillis / 1000

const cut = (stretch: number, segment: Segment, from: number, to: number): Cut => {
  const firstRow = from <= segmentStart(stretch) ? 0 : segment.rowsBefore(from)
  const endRow = to >= segmentStart(stretch + 1) ? segment.rows : segment.rowsBefore(to)
  const [start, end] = [segment.offsetOf(firstRow), segment.offsetOf(endRow)]
  return { index: stretch, version: segment.version, rows: endRow - firstRow, firstRow, start, end }
}

const lengthOf = (piece: Piece) => ("bytes" in piece ? piece.bytes.length : piece.end - piece.start)

export class TickSegments extends Context.Service<
  TickSegments,
  { readonly select: (range: TickQuery) => Effect.Effect<EncodedTicks, SqlError | TicksChanged> }
>()("presage/ticks/TickSegments") {
  static readonly layer = Layer.effect(
    TickSegments,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const segments = yield* makeSegments
      const turn = makeYieldBudget(partsPerTurn)
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      /** Holds on to no segment: what many such answers take together is bounded by the cache alone. */
      const cutAll = (feed: Feed, wanted: ReadonlyArray<SegmentRef>, { from, to }: TickQuery) =>
        Effect.gen(function* () {
          const cuts = new Map<number, Cut>()
          const missing: Array<SegmentRef> = []
          for (const each of wanted) {
            const segment = segments.cached(feed, each)
            if (segment === undefined) missing.push(each)
            else cuts.set(each.index, cut(each.index, segment, from, to))
          }
          yield* Effect.forEach(
            runsOf(missing),
            (run) =>
              Effect.map(segments.load(feed, run), (loaded) => {
                for (const [stretch, segment] of loaded) cuts.set(stretch, cut(stretch, segment, from, to))
              }),
            { concurrency: 2, discard: true },
          )
          return cuts
        })

      /** The segment that was cut, again; it may have gone in the meantime. */
      const segmentOf = (feed: Feed, piece: Cut) =>
        Effect.gen(function* () {
          const segment = segments.cached(feed, piece) ?? (yield* segments.load(feed, [piece])).get(piece.index)
          const isSame = segment?.version.revision === piece.version.revision && segment.bytes.length >= piece.end
          return segment !== undefined && isSame ? segment : yield* new TicksChanged()
        })

      const shortened = (feed: Feed, piece: Cut, rows: number) =>
        Effect.map(segmentOf(feed, piece), (segment) => ({
          ...piece,
          rows,
          end: segment.offsetOf(piece.firstRow + rows),
        }))

      async function* send(feed: Feed, pieces: ReadonlyArray<Piece>) {
        let isFirst = true
        for (const piece of pieces) {
          const bytes =
            "bytes" in piece
              ? piece.bytes
              : (segments.cached(feed, piece) ?? (await run(segmentOf(feed, piece)))).bytes.subarray(
                  piece.start,
                  piece.end,
                )
          yield isFirst ? bytes.subarray(1) : bytes
          isFirst = false
        }
      }

      const collect = (feed: Feed, parts: ReadonlyArray<Part>, range: TickQuery) =>
        Effect.gen(function* () {
          const pieces: Array<Piece> = []
          let left = range.limit
          for (let next = 0; next < parts.length && left > 0; ) {
            // As much as a full answer may take, so that a small limit does not load a day.
            const enough = Math.ceil(left / (rowsPerStretch * feed.sources.length)) + 1
            const wave = parts.slice(next, next + enough)
            next += enough
            const cuts = yield* cutAll(
              feed,
              wave.filter((part) => part._tag === "kept"),
              range,
            )
            for (const part of wave) {
              if (left === 0) break
              const found =
                part._tag === "read" ? yield* readRows(reads, feed, part.from, part.to, left) : cuts.get(part.index)
              if (found === undefined || found.rows === 0) continue
              const piece = "bytes" in found || found.rows <= left ? found : yield* shortened(feed, found, left)
              pieces.push(piece)
              left -= piece.rows
            }
          }
          return pieces
        })

      const select = (range: TickQuery) =>
        Effect.gen(function* () {
          const { coin, source, from, to } = range
          const feed = { coin, sources: source === undefined ? tickSources : [source] }
          const [first, last] = [segmentIndex(from), segmentIndex(to - 1)]
          const state = yield* readState(reads, feed, first, last)
          const parts = partsOf(state, range, first, last)
          yield* Effect.promise(() => turn(parts.length))
          const pieces = yield* collect(feed, parts, range)
          const bytes = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
          return {
            count: pieces.reduce((sum, { rows }) => sum + rows, 0),
            bytes: Math.max(0, bytes - 1),
            newest: state.newest,
            pieces: () => send(feed, pieces),
          }
        })

      return TickSegments.of({
        select: (range) => Effect.retry(select(range), { while: ({ _tag }) => _tag === "TicksChanged", times: 5 }),
      })
    }),
  )
}
