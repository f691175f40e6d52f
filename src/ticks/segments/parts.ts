import type { WantedSegment } from "./Segments.ts"
import type { FeedState } from "./segmentSql.ts"
import { dayOfStretch, movingStretches, startOf } from "./stretches.ts"

/** A part of a range: a whole stretch that is kept, or moments that are read each time. */
export type Part =
  | (WantedSegment & { readonly _tag: "kept" })
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
  const moving = newest === undefined ? undefined : movingStretches(newest)
  const parts: Array<Part> = []
  for (let stretch = first; stretch <= last; stretch++) {
    const table = tables.get(dayOfStretch(stretch))
    if (table === undefined) continue
    if (moving !== undefined && stretch >= moving.first && stretch <= moving.last) {
      parts.push({ _tag: "read", from: Math.max(from, startOf(stretch)), to: Math.min(to, startOf(stretch + 1)) })
    } else {
      parts.push({ _tag: "kept", stretch, version: { table, revision: revisions.get(stretch) ?? 0 } })
    }
  }
  return parts
}
