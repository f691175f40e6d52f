import { giveBack } from "#src/platform/process/giveBack.ts"

/** As many as can be on their way: one that the socket has, one that waits for it, one that is being filled. */
const buffers = 4

/**
 * A stream takes the next one of these only when all before it have left. Smaller ones may wait for each other, and must not
 * be written over.
 */
const leastBytes = 262_144

/**
 * Parts that are sent, in a few buffers that are used again. Where each has one of its own, V8 counts them as much as anything
 * that is kept, and looks for what to collect in all of its memory ten times per export, while everybody waits.
 */
export const makeRecycler = () => {
  const ring: Array<Buffer> = []
  let next = 0

  /** Takes the part, which nobody may look at any more, and gives what is to be sent. */
  return (part: Buffer): Buffer => {
    if (part.length < leastBytes) return part
    const place = next++ % buffers
    let room = ring[place]
    if (room === undefined || room.length < part.length) {
      room = Buffer.allocUnsafeSlow(part.length)
      ring[place] = room
    }
    const length = part.copy(room)
    giveBack(part)
    return room.subarray(0, length)
  }
}
