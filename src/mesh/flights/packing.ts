import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

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

export const unpack = async (stored: Buffer): Promise<Buffer> => {
  const length = stored.readUInt32BE()
  const bytes = stored.subarray(headBytes)
  // Node makes as much room again as soon as none is left, before it knows that nothing more comes.
  return length === 0 ? bytes : decompress(bytes, inOnePiece(length + 1))
}
