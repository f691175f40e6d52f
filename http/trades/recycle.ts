import { freeBuffer } from "#src/platform/process/freeBuffer.ts"

/** Covers all parts being sent: one in the socket, one waiting for it, one being filled. */
const buffers = 4

/**
 * A stream takes the next part of this size only when all parts before it have been sent. Smaller ones may queue up, and must
 * not be overwritten.
 */
const minBytes = 262_144

/**
 * Copies parts into a few reused buffers. With a buffer per part, V8 counts them as retained memory and runs a full garbage
 * collection ten times per export, which blocks all requests.
 */
export const makeRecycler = () => {
  const ring: Array<Buffer> = []
  let next = 0

  /** Takes ownership of the part and returns the buffer to send. */
  return (part: Buffer): Buffer => {
    if (part.length < minBytes) return part
    const slot = next++ % buffers
    let target = ring[slot]
    if (target === undefined || target.length < part.length) {
      target = Buffer.allocUnsafeSlow(part.length)
      ring[slot] = target
    }
    const length = part.copy(target)
    freeBuffer(part)
    return target.subarray(0, length)
  }
}
