import { promisify } from "node:util"
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib"
import { LRUCache } from "lru-cache"
import type { Answer } from "#src/caching/Answer.ts"
import { type Acceptable, type Choice, chooseEncoding, type Encoding } from "./chooseEncoding.ts"

const [asGzip, asBrotli, asZstd] = [promisify(gzip), promisify(brotliCompress), promisify(zstdCompress)]

/** Levels suited to answers that are sent often but not for long. All run off the event loop. */
const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
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

/** Below this size, compression costs more than it saves. */
export const minCompressBytes = 1024

const maxChoices = 500

/** Cached choices: clients send only a few different headers. */
const makeChoices = (isSmall: boolean) =>
  new LRUCache<string, Choice>({ max: maxChoices, memoMethod: (header) => chooseEncoding(header, isSmall) })

const choices = { small: makeChoices(true), large: makeChoices(false) }

/** Encoding of so many bytes for a client with this `Accept-Encoding`. */
export const encodingOf = (length: number, acceptEncoding: string | undefined): Choice =>
  acceptEncoding === undefined
    ? "identity"
    : (length < minCompressBytes ? choices.small : choices.large).memo(acceptEncoding)

export const encodingFor = ({ bytes }: Answer, acceptEncoding: string | undefined): Choice =>
  encodingOf(bytes.length, acceptEncoding)

export const compressedBytes = (bytes: Buffer, encoding: Encoding): Promise<Buffer> => compress[encoding](bytes)

/** The encoded bytes of an answer; a promise during the first compression. */
export const bytesIn = (answer: Answer, encoding: Acceptable): Buffer | Promise<Buffer> =>
  encoding === "identity" ? answer.bytes : answer.variant(encoding, compress[encoding])

/** The encoded bytes, if they are ready. */
export const readyBytes = (answer: Answer, encoding: Acceptable): Buffer | undefined =>
  encoding === "identity" ? answer.bytes : answer.ready(encoding)

/** Different for every encoding, because a strong tag identifies the bytes sent. */
export const etagOf = ({ tag }: Answer, encoding: Choice): string =>
  encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`

/** Whether `If-None-Match` contains the tag, by weak comparison. */
export const isNotModified = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag))
