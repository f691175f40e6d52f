import type { EventType, FeedMessage } from "#src/feed/model.ts"

/** An event as clients get it, from the stream and from REST alike. */
export type EventFrame =
  | { readonly type: "event"; readonly seq: number; readonly data: FeedMessage["data"] }
  | {
      readonly type: Exclude<EventType, "fill">
      readonly seq: number
      readonly timestamp: number
      readonly data: FeedMessage["data"]
    }

/** Fills are flat and have their own name, as clients of such feeds expect; all others say when they were recorded. */
export const eventFrame = ({ type, seq, at, data }: FeedMessage): EventFrame =>
  type === "fill" ? { type: "event", seq, data } : { type, seq, timestamp: at, data }
