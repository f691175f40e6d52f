import { promisify } from "node:util"
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib"
import type { Encoding } from "./chooseEncoding.ts"

const [asGzip, asBrotli, asZstd] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]

/** Each about as hard as is worth it for what is sent often but not for long; none of them on the event loop. */
export const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => asGzip(bytes, { level: 6 }),
  br: (bytes) =>
    asBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes) => asZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 6 } }),
}
