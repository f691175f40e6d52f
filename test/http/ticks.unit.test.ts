import { once } from "node:events"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { streamed } from "#http/ticks/body.ts"

const total = 200

/** Pieces that count how many were pulled, and whether the stream has ended. */
const counted = () => {
  const seen = { taken: 0, isOver: false }
  async function* pieces() {
    try {
      for (; seen.taken < total; ) {
        seen.taken++
        yield Buffer.alloc(100_000, `${seen.taken} `)
      }
    } finally {
      seen.isOver = true
    }
  }
  return { seen, body: { head: Buffer.from("["), pieces, tail: Buffer.from("]") } }
}

const all = async (stream: AsyncIterable<Buffer>) => {
  const parts: Array<Buffer> = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

describe("Streamed answers", () => {
  it("pull no more pieces than the client can take", async () => {
    const { seen, body } = counted()
    const stream = streamed(body, "identity")
    await once(stream, "readable")
    await new Promise((resolve) => setImmediate(resolve))
    assert.isAtMost(seen.taken, 2)
    assert.strictEqual((await all(stream)).length, total * 100_000 + 2)
    assert.isTrue(seen.isOver)
  })

  it.each(["identity", "gzip", "br", "zstd"] as const)("stop when the client disconnects (%s)", async (encoding) => {
    const { seen, body } = counted()
    const stream = streamed(body, encoding)
    stream.on("error", () => {})
    while (seen.taken === 0) {
      stream.read()
      await new Promise((resolve) => setImmediate(resolve))
    }
    stream.destroy()
    while (!seen.isOver) await new Promise((resolve) => setImmediate(resolve))
    assert.isBelow(seen.taken, total)
  })

  it.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["zstd", zstdDecompressSync],
  ] as const)("is the same as %s", async (encoding, decompress) => {
    const [plain, compressed] = [counted().body, counted().body]
    const bytes = await all(streamed(compressed, encoding))
    assert.isTrue(decompress(bytes).equals(await all(streamed(plain, "identity"))))
    assert.isBelow(bytes.length, 2_000_000)
  })

  it.each(["identity", "gzip"] as const)("fail when a piece cannot be read (%s)", async (encoding) => {
    async function* pieces() {
      yield Buffer.alloc(100_000)
      throw new Error("gone")
    }
    const stream = streamed({ head: Buffer.from("["), pieces, tail: Buffer.from("]") }, encoding)
    const outcome = await all(stream).then(
      () => "whole",
      (error: Error) => error.message,
    )
    assert.strictEqual(outcome, "gone")
  })
})
