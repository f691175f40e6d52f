import { promisify } from "node:util"
import { constants, createZstdDecompress, zstdCompress } from "node:zlib"
import { giveBack } from "#src/platform/process/giveBack.ts"

const compress = promisify(zstdCompress)

/** Before what is stored, the length that it has unpacked; none where it is not packed. */
const headBytes = 4
const plain = Buffer.alloc(headBytes)

/** Below this it is not worth it. */
const leastToPack = 1024

/**
 * The fastest, with little memory: Redis keeps it and writes it to its journal, so that it should be small, but not at any
 * price.
 */
const params = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_windowLog]: 17,
  [constants.ZSTD_c_hashLog]: 13,
}

/** In one piece: with the many small ones of the default most of the time goes into collecting them again. */
const inOnePiece = (bytes: number) => ({ chunkSize: Math.max(1024, bytes) })

export const pack = async (bytes: Uint8Array): Promise<Buffer> => {
  if (bytes.length < leastToPack) return Buffer.concat([plain, bytes])
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, await compress(bytes, { params, ...inOnePiece(bytes.length >> 1) })])
}

/** Of what is unpacked at a time; it is put together again. */
const partBytes = 262_144

/**
 * Unpacks one after the other, with one decompressor for all: each holds a hundred kilobytes until it is collected, of which
 * V8 knows nothing.
 */
export const makeUnpacker = () => {
  const stream = createZstdDecompress({ chunkSize: partBytes })
  let room = Buffer.alloc(0)
  let filled = 0
  stream.on("data", (part: Buffer) => {
    filled += part.copy(room, filled)
    const isLastOfItsMemory = part.byteOffset + part.length === part.buffer.byteLength
    if (isLastOfItsMemory && part.buffer instanceof ArrayBuffer) part.buffer.transfer(0)
  })
  let fail: (error: Error) => void = () => undefined
  stream.on("error", (error) => fail(error))

  return {
    /** Fails with what was not packed by us, and from then on. */
    unpack: (stored: Buffer): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const length = stored.readUInt32BE()
        const bytes = stored.subarray(headBytes)
        if (length === 0) return resolve(bytes)
        room = Buffer.allocUnsafeSlow(length)
        filled = 0
        fail = reject
        stream.write(bytes, (error) => {
          giveBack(stored)
          if (error || filled !== length) reject(error ?? new Error(`${filled} bytes instead of ${length}`))
          else resolve(room)
        })
      }),
    close: () => void stream.destroy(),
  }
}
