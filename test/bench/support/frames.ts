import { randomBytes } from "node:crypto"

/** A masked text frame, as sent by clients. */
export const maskedText = (text: string): Buffer => {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0)
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255])
        : Buffer.from([0x81, 0x80 | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (payload.length >>> bits) & 255)])
  return Buffer.concat([head, mask, payload])
}

const eventStart = Buffer.from('{"type":"event","seq":')
const nothing = Buffer.alloc(0)

/** The seq of an event, read at its fixed offset; -1 for any other frame. */
const seqIn = (bytes: Buffer, start: number, end: number): number => {
  if (end - start < eventStart.length || bytes[start + 9] !== eventStart[9] || bytes[start + 10] !== eventStart[10])
    return -1
  let seq = 0
  for (let i = start + eventStart.length; i < end; i++) {
    const digit = (bytes[i] ?? 0) - 48
    if (digit < 0 || digit > 9) return i === start + eventStart.length ? -1 : seq
    seq = seq * 10 + digit
  }
  return seq
}

/** Splits the bytes of a server into frames, with just enough work to count them and check their order. */
export class FrameReader {
  #rest: Buffer = nothing

  read(chunk: Buffer, onFrame: (seq: number, frame: Buffer) => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    for (;;) {
      if (bytes.length - at < 2) break
      const short = (bytes[at + 1] ?? 0) & 127
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length - at < head) break
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
      const end = at + head + length
      if (bytes.length < end) break
      onFrame(seqIn(bytes, at + head, end), bytes.subarray(at + head, end))
      at = end
    }
    this.#rest = at === bytes.length ? nothing : Buffer.from(bytes.subarray(at))
  }
}
