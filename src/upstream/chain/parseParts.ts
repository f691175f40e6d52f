import { isAscii } from "node:buffer"
import { OddReply } from "./answers.ts"

/** Where answers are put together, one after the other: to get fresh memory takes longer than to copy into it. */
let room = Buffer.alloc(0)
const mostRoom = 16 * 1024 * 1024

const roomFor = (size: number): Buffer => {
  if (size > mostRoom) return Buffer.allocUnsafeSlow(size)
  if (size > room.length) room = Buffer.allocUnsafeSlow(Math.min(2 * size, mostRoom))
  return room.subarray(0, size)
}

const joined = (parts: ReadonlyArray<Uint8Array>): Buffer => {
  const whole = roomFor(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    whole.set(part, end)
    end += part.length
  }
  return whole
}

/** What JSON says that came in parts. */
export const parseParts = (parts: ReadonlyArray<Uint8Array>): unknown => {
  const bytes = joined(parts)
  // Most answers have no other characters, and then this is several times as fast.
  const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8")
  try {
    return JSON.parse(text)
  } catch {
    throw new OddReply(`not JSON: ${text.slice(0, 200).replace(/\s+/g, " ")}`)
  }
}
