import { promisify } from "node:util"
import { constants, createZstdDecompress, zstdCompress } from "node:zlib"
import { freeBuffer } from "#src/platform/process/freeBuffer.ts"

const compress = promisify(zstdCompress)

/** A header holds the unpacked length; 0 means that the chunk is not packed. */
const headBytes = 4
const plain = Buffer.alloc(headBytes)

/** Smaller chunks are not worth packing. */
const leastToPack = 1024

/**
 * The fastest level, with little memory. Packing keeps Redis and its append-only file small.
 */
const params = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_windowLog]: 17,
  [constants.ZSTD_c_hashLog]: 13,
}

/** One output buffer: with the default of many small ones, most of the time goes into garbage collection. */
const oneBuffer = (bytes: number) => ({ chunkSize: Math.max(1024, bytes) })

export const pack = async (bytes: Uint8Array): Promise<Buffer> => {
  if (bytes.length < leastToPack) return Buffer.concat([plain, bytes])
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(bytes.length)
  return Buffer.concat([head, await compress(bytes, { params, ...oneBuffer(bytes.length >> 1) })])
}

/** Output buffer of the decompressor. */
const partBytes = 262_144

/**
 * Unpacks chunks one after the other with one decompressor. Each decompressor holds a hundred kilobytes outside V8's
 * accounting until it is collected.
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
    /** Fails for a chunk that is not ours, and for every chunk after it. */
    unpack: (stored: Buffer): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const length = stored.readUInt32BE()
        const bytes = stored.subarray(headBytes)
        if (length === 0) return resolve(bytes)
        room = Buffer.allocUnsafeSlow(length)
        filled = 0
        fail = reject
        stream.write(bytes, (error) => {
          freeBuffer(stored)
          if (error || filled !== length) reject(error ?? new Error(`${filled} bytes instead of ${length}`))
          else resolve(room)
        })
      }),
    close: () => void stream.destroy(),
  }
}
