import type { FeedMessage } from "#src/feed/model.ts"
import { eventFrame } from "#src/streams/protocol/eventFrame.ts"
import { Frame } from "../Frame.ts"

/** As long as a message is kept, so is what it was made into: replay and live send the same bytes. */
const frames = new WeakMap<FeedMessage, Frame>()

export const frameOf = (message: FeedMessage): Frame => {
  const made = frames.get(message)
  if (made !== undefined) return made
  const frame = new Frame(JSON.stringify(eventFrame(message)))
  frames.set(message, frame)
  return frame
}
