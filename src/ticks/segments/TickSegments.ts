import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { type Coin, spotSources, type TickSource } from "#src/domain/Tick.ts"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { partsOf, type QueryPart } from "./parts.ts"
import type { Segment } from "./Segment.ts"
import { makeSegments, type SegmentRef } from "./Segments.ts"
import { type Feed, readRows, readState } from "./segmentSql.ts"
import { runsOf, segmentIndex, segmentSeconds, segmentStart } from "./segmentTimes.ts"

/** Ticks with `from` <= time < `to`, in milliseconds, oldest first, at most `limit`. */
export interface TickQuery {
  readonly coin: Coin
  /** All sources of spot prices when undefined. */
  readonly source: TickSource | undefined
  readonly from: number
  readonly to: number
  readonly limit: number
}

/** Ticks in response encoding: JSON objects separated by commas. */
export interface EncodedTicks {
  readonly count: number
  readonly bytes: number
  /** Time of the newest known tick of these sources. */
  readonly newest: number | undefined
  /** The bytes, read lazily. They are shared with other requests: do not modify them. */
  readonly pieces: () => AsyncIterable<Buffer>
}

/** A segment changed and left the cache before a slow reader received it. */
export class TicksChanged extends Schema.TaggedError<TicksChanged>()("TicksChanged", {}) {
  override get message() {
    return "the ticks changed while they were being sent; setting ticks.segment-memory keeps more of them"
  }
}

type SegmentPart = Extract<QueryPart, { readonly _tag: "segment" }>

/** Rows of a cached segment, or rows read for this request alone. */
type Piece = { readonly rows: number; readonly bytes: Buffer } | Cut
interface Cut extends SegmentRef {
  readonly rows: number
  readonly firstRow: number
  readonly start: number
  readonly end: number
}

/** Five days: a few milliseconds of work. */
const partsPerSlice = 720

const cut = (index: number, segment: Segment, from: number, to: number): Cut => {
  const firstRow = from <= segmentStart(index) ? 0 : segment.rowsBefore(from)
  const endRow = to >= segmentStart(index + 1) ? segment.rows : segment.rowsBefore(to)
  const [start, end] = [segment.offsetOf(firstRow), segment.offsetOf(endRow)]
  return { index, version: segment.version, rows: endRow - firstRow, firstRow, start, end }
}

/** A whole segment whose size is known need not be loaded before its turn to be sent. */
const uncut = ({ index, version, size }: SegmentPart, from: number, to: number): Cut | undefined => {
  const isWhole = from <= segmentStart(index) && to >= segmentStart(index + 1)
  if (size === undefined || !isWhole) return undefined
  return { index, version, rows: size.rows, firstRow: 0, start: 0, end: size.bytes }
}

const lengthOf = (piece: Piece) => ("bytes" in piece ? piece.bytes.length : piece.end - piece.start)

export class TickSegments extends Context.Service<
  TickSegments,
  { readonly select: (query: TickQuery) => Effect.Effect<EncodedTicks, SqlError | TicksChanged> }
>()("presage/ticks/TickSegments") {
  static readonly layer = Layer.effect(
    TickSegments,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const segments = yield* makeSegments
      const yieldBudget = makeYieldBudget(partsPerSlice)
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      /** Holds no segment, so that the cache alone bounds the memory of concurrent requests. */
      const cutAll = (feed: Feed, parts: ReadonlyArray<SegmentPart>, { from, to }: TickQuery) =>
        Effect.gen(function* () {
          const cuts = new Map<number, Cut>()
          const missing: Array<SegmentRef> = []
          for (const each of parts) {
            const segment = segments.cached(feed, each)
            const known = segment === undefined ? uncut(each, from, to) : cut(each.index, segment, from, to)
            if (known === undefined) missing.push(each)
            else cuts.set(each.index, known)
          }
          yield* Effect.forEach(
            runsOf(missing),
            (run) =>
              Effect.map(segments.load(feed, run), (loaded) => {
                for (const [index, segment] of loaded) cuts.set(index, cut(index, segment, from, to))
              }),
            { concurrency: 2, discard: true },
          )
          return cuts
        })

      /** The segment of a cut, loaded again if it was evicted. */
      const reload = (feed: Feed, piece: Cut) =>
        Effect.gen(function* () {
          const segment = segments.cached(feed, piece) ?? (yield* segments.load(feed, [piece])).get(piece.index)
          const isSame = segment?.version.revision === piece.version.revision && segment.bytes.length >= piece.end
          return segment !== undefined && isSame ? segment : yield* new TicksChanged()
        })

      const truncate = (feed: Feed, piece: Cut, rows: number) =>
        Effect.map(reload(feed, piece), (segment) => ({
          ...piece,
          rows,
          end: segment.offsetOf(piece.firstRow + rows),
        }))

      async function* send(feed: Feed, pieces: ReadonlyArray<Piece>) {
        const missing = pieces.filter((piece) => "index" in piece && segments.cached(feed, piece) === undefined)
        const runs = runsOf(missing as ReadonlyArray<Cut>)
        const firstOf = new Map(runs.map(([first], number) => [first as Piece, number]))
        let started = 0
        let isFirst = true
        for (const piece of pieces) {
          // One query is ahead of what is sent. Its failure, or interruption, shows when its segments are needed.
          const until = Math.min(runs.length, (firstOf.get(piece) ?? -2) + 2)
          for (; started < until; started++) run(segments.load(feed, runs[started] ?? [])).catch(() => undefined)
          const bytes =
            "bytes" in piece
              ? piece.bytes
              : (segments.cached(feed, piece) ?? (await run(reload(feed, piece)))).bytes.subarray(
                  piece.start,
                  piece.end,
                )
          yield isFirst ? bytes.subarray(1) : bytes
          isFirst = false
        }
      }

      const collect = (feed: Feed, parts: ReadonlyArray<QueryPart>, query: TickQuery) =>
        Effect.gen(function* () {
          const pieces: Array<Piece> = []
          let left = query.limit
          for (let next = 0; next < parts.length && left > 0; ) {
            // Only as many segments as the limit can need, so that a small limit does not load a day.
            const batchSize = Math.ceil(left / (segmentSeconds * feed.sources.length)) + 1
            const batch = parts.slice(next, next + batchSize)
            next += batchSize
            const cuts = yield* cutAll(
              feed,
              batch.filter((part) => part._tag === "segment"),
              query,
            )
            for (const part of batch) {
              if (left === 0) break
              const found =
                part._tag === "read" ? yield* readRows(reads, feed, part.from, part.to, left) : cuts.get(part.index)
              if (found === undefined || found.rows === 0) continue
              const piece = "bytes" in found || found.rows <= left ? found : yield* truncate(feed, found, left)
              pieces.push(piece)
              left -= piece.rows
            }
          }
          return pieces
        })

      const select = (query: TickQuery) =>
        Effect.gen(function* () {
          const { coin, source, from, to } = query
          const feed = { coin, sources: source === undefined ? spotSources : [source] }
          const [first, last] = [segmentIndex(from), segmentIndex(to - 1)]
          const state = yield* readState(reads, feed, first, last)
          const parts = partsOf(state, query, first, last)
          yield* Effect.promise(() => yieldBudget(parts.length))
          const pieces = yield* collect(feed, parts, query)
          const bytes = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
          return {
            count: pieces.reduce((sum, { rows }) => sum + rows, 0),
            bytes: Math.max(0, bytes - 1),
            newest: state.newest,
            pieces: () => send(feed, pieces),
          }
        })

      return TickSegments.of({
        select: Effect.fn("TickSegments.select")((query) =>
          Effect.retry(select(query), { while: ({ _tag }) => _tag === "TicksChanged", times: 5 }),
        ),
      })
    }),
  )
}
