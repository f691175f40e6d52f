import type { EventType, FeedMessage } from "#src/feed/model.ts"

/** An event as sent to clients, identical in the stream and in REST. */
export type EventFrame =
  | { readonly type: "event"; readonly seq: number; readonly data: FeedMessage["data"] }
  | {
      readonly type: Exclude<EventType, "fill">
      readonly seq: number
      readonly timestamp: number
      readonly data: FeedMessage["data"]
    }

/** Fills are flat and named `event`, as clients of fill feeds expect; all other events carry the time they were recorded. */
export const eventFrame = ({ type, seq, at, data }: FeedMessage): EventFrame =>
  type === "fill" ? { type: "event", seq, data } : { type, seq, timestamp: at, data }
