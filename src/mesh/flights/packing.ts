import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const plain = Buffer.from([0])
const packed = Buffer.from([1])

/** Below this it is not worth it. */
const leastToPack = 1024
/** The fastest: Redis keeps it in memory and writes it to its journal, so that it should not be large, but not at any price. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const pack = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < leastToPack ? Buffer.concat([plain, bytes]) : Buffer.concat([packed, await compress(bytes, options)])

export const unpack = async (stored: Buffer): Promise<Buffer> =>
  stored[0] === plain[0] ? stored.subarray(1) : decompress(stored.subarray(1))
