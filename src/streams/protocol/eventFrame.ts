import type { EventType, FeedMessage } from "#src/feed/model.ts"

/** An event as sent to clients, identical in the stream and in REST. */
export type EventFrame =
  | {
      readonly type: "event"
      readonly seq: number
      readonly confirmations?: FeedMessage["confirmations"]
      readonly data: FeedMessage["data"]
    }
  | {
      readonly type: Exclude<EventType, "fill">
      readonly seq: number
      readonly timestamp: number
      readonly confirmations?: FeedMessage["confirmations"]
      readonly data: FeedMessage["data"]
    }

/** Fills are flat and named `event`, as clients of fill feeds expect; all other events carry the time they were recorded. */
export const eventFrame = ({ type, seq, at, confirmations, data }: FeedMessage): EventFrame => {
  const certainty = confirmations === undefined ? {} : { confirmations }
  return type === "fill" ? { type: "event", seq, ...certainty, data } : { type, seq, timestamp: at, ...certainty, data }
}
