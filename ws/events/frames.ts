import type { FeedMessage } from "#src/feed/model.ts"
import { eventFrame } from "#src/streams/protocol/eventFrame.ts"
import { Frame } from "../channel/Frame.ts"

/** Cached as long as the message is kept: replays and live delivery send the same bytes. */
const frames = new WeakMap<FeedMessage, Frame>()

export const frameOf = (message: FeedMessage): Frame => {
  const cached = frames.get(message)
  if (cached !== undefined) return cached
  const frame = new Frame(JSON.stringify(eventFrame(message)))
  frames.set(message, frame)
  return frame
}

/** Several replayed events in one frame. */
export const snapshotFrame = (subscriptionId: string | undefined, messages: ReadonlyArray<FeedMessage>): Frame => {
  const head = JSON.stringify({ type: "snapshot", subscription_id: subscriptionId, count: messages.length })
  return new Frame(`${head.slice(0, -1)},"events":[${messages.map((message) => frameOf(message).text).join(",")}]}`)
}
