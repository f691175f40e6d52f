import type { SegmentRef } from "./Segments.ts"
import type { FeedState, SegmentSize } from "./segmentSql.ts"
import { dayOfSegment, openSegments, segmentStart } from "./segmentTimes.ts"

/** A part of a query: a cacheable segment, or a range that is read every time. */
export type QueryPart =
  | (SegmentRef & { readonly _tag: "segment"; readonly size: SegmentSize | undefined })
  | { readonly _tag: "read"; readonly from: number; readonly to: number }

/** Parts of a query in order of time. Open segments are read every time; days without a table are skipped. */
export const partsOf = (
  { newest, revisions, sizes, tables }: FeedState,
  { from, to }: { readonly from: number; readonly to: number },
  first: number,
  last: number,
): ReadonlyArray<QueryPart> => {
  const open = newest === undefined ? undefined : openSegments(newest)
  const parts: Array<QueryPart> = []
  for (let index = first; index <= last; index++) {
    const table = tables.get(dayOfSegment(index))
    if (table === undefined) continue
    if (open !== undefined && index >= open.first && index <= open.last) {
      parts.push({ _tag: "read", from: Math.max(from, segmentStart(index)), to: Math.min(to, segmentStart(index + 1)) })
    } else {
      const version = { table, revision: revisions.get(index) ?? 0 }
      parts.push({ _tag: "segment", index, version, size: sizes.get(index) })
    }
  }
  return parts
}
