import type { SegmentRef } from "./Segments.ts"
import type { FeedState } from "./segmentSql.ts"
import { dayOfSegment, openSegments, segmentStart } from "./segmentTimes.ts"

/** A part of a range: a whole stretch that is kept, or moments that are read each time. */
export type Part =
  | (SegmentRef & { readonly _tag: "kept" })
  | { readonly _tag: "read"; readonly from: number; readonly to: number }

/**
 * What a range is made of, in order of time. Stretches that ticks still come for are read; days without a table have
 * nothing.
 */
export const partsOf = (
  { newest, revisions, tables }: FeedState,
  { from, to }: { readonly from: number; readonly to: number },
  first: number,
  last: number,
): ReadonlyArray<Part> => {
  const moving = newest === undefined ? undefined : openSegments(newest)
  const parts: Array<Part> = []
  for (let stretch = first; stretch <= last; stretch++) {
    const table = tables.get(dayOfSegment(stretch))
    if (table === undefined) continue
    if (moving !== undefined && stretch >= moving.first && stretch <= moving.last) {
      parts.push({ _tag: "read", from: Math.max(from, segmentStart(stretch)), to: Math.min(to, segmentStart(stretch + 1)) })
    } else {
      parts.push({ _tag: "kept", index: stretch, version: { table, revision: revisions.get(stretch) ?? 0 } })
    }
  }
  return parts
}
