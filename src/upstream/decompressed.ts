import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"

const decoders = { gzip: createGunzip, "x-gzip": createGunzip, br: createBrotliDecompress } as const

const isKnown = (encoding: unknown): encoding is keyof typeof decoders =>
  typeof encoding === "string" && Object.hasOwn(decoders, encoding)

/** Large pieces, like those of a body that is not compressed. */
const chunkSize = 64 * 1024

/** The bytes of a body that may be compressed. An error of either stream ends the returned one with it. */
export const decompressed = (
  body: Readable,
  encoding: string | ReadonlyArray<string> | undefined,
): AsyncIterable<Buffer> => {
  const name = typeof encoding === "string" ? encoding.trim().toLowerCase() : undefined
  return isKnown(name) ? pipeline(body, decoders[name]({ chunkSize }), () => undefined) : body
}
