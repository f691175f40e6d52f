import { pipeline, Readable } from "node:stream"
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib"
import { makeTurns } from "#src/platform/process/turns.ts"
import type { Encoding } from "../caching/chooseEncoding.ts"

export interface Body {
  readonly head: Buffer
  readonly pieces: () => AsyncIterable<Buffer>
  readonly tail: Buffer
}

async function* allOf({ head, pieces, tail }: Body) {
  yield head
  yield* pieces()
  yield tail
}

export const gathered = async (body: Body): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of allOf(body)) parts.push(part)
  return Buffer.concat(parts)
}

/** Fast rather than small, with little memory for each reader. Zlib does the work on its own threads. */
const compressors = {
  gzip: () => createGzip({ level: 1, chunkSize: 65_536 }),
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 },
      chunkSize: 65_536,
    }),
  zstd: () =>
    createZstdCompress({
      params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 },
      chunkSize: 65_536,
    }),
}

/**
 * Bytes that a socket takes at once call for the next ones before anything else gets its turn: readers who are fast
 * enough would keep all others waiting.
 */
const turn = makeTurns(1_048_576)

async function* inTurns(parts: AsyncIterable<Buffer>) {
  for await (const part of parts) {
    await turn(part.length)
    yield part
  }
}

/** Takes the next part when the reader has room for it. */
export const streamedParts = (parts: AsyncIterable<Buffer>, encoding: Encoding | "identity"): Readable => {
  const plain = Readable.from(inTurns(parts), { objectMode: false, highWaterMark: 1 })
  if (encoding === "identity") return plain
  const compressor = compressors[encoding]()
  // A failure of one is a failure of the other, which whoever sends it sees.
  return pipeline(plain, compressor, () => {})
}

export const streamed = (body: Body, encoding: Encoding | "identity"): Readable => streamedParts(allOf(body), encoding)
