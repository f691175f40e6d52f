import { pipeline, Readable } from "node:stream"
import { constants, createBrotliCompress, createGzip, createZstdCompress } from "node:zlib"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"
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

export const collect = async (body: Body): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of allOf(body)) parts.push(part)
  return Buffer.concat(parts)
}

/** Fast rather than small, with little memory per client. Zlib works on its own threads. */
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
 * A socket that accepts bytes at once requests the next ones before other work gets its turn, so fast clients would delay
 * all others.
 */
const turn = makeYieldBudget(1_048_576)

async function* inTurns(parts: AsyncIterable<Buffer>) {
  for await (const part of parts) {
    await turn(part.length)
    yield part
  }
}

/** Pulls the next part when the client can take it. */
export const streamedParts = (parts: AsyncIterable<Buffer>, encoding: Encoding | "identity"): Readable => {
  const plain = Readable.from(inTurns(parts), { objectMode: false, highWaterMark: 1 })
  if (encoding === "identity") return plain
  const compressor = compressors[encoding]()
  // A failure of one destroys the other, which the sender sees.
  return pipeline(plain, compressor, () => {})
}

export const streamed = (body: Body, encoding: Encoding | "identity"): Readable => streamedParts(allOf(body), encoding)
