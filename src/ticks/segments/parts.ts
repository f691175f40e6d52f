import type { SegmentRef } from "./Segments.ts"
import type { FeedState } from "./segmentSql.ts"
import { dayOfSegment, openSegments, segmentStart } from "./segmentTimes.ts"

/** A part of a query: a cacheable segment, or a range that is read every time. */
export type QueryPart =
  | (SegmentRef & { readonly _tag: "segment" })
  | { readonly _tag: "read"; readonly from: number; readonly to: number }

/** Parts of a query in order of time. Open segments are read every time; days without a table are skipped. */
export const partsOf = (
  { newest, revisions, tables }: FeedState,
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
      parts.push({ _tag: "segment", index, version: { table, revision: revisions.get(index) ?? 0 } })
    }
  }
  return parts
}
