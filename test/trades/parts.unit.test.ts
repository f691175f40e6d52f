import { createServer, get, type IncomingMessage } from "node:http"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { streamedParts } from "#http/ticks/body.ts"
import { partsOf } from "#http/trades/parts.ts"

const pieces = 40
/** Pieces of different content, large and small. */
const pieceOf = (index: number) =>
  Buffer.alloc(index % 5 === 4 ? 900 : 300_000 + 7_000 * (index % 9), `piece ${index} `)
const expected = Buffer.concat(Array.from({ length: pieces }, (_, index) => pieceOf(index)))

const frame = { head: "", piece: (bytes: Buffer) => bytes, tail: () => "" }
const end = { count: 0, reason: null, seen: null }

const sending = () => {
  let index = 1
  const next = Effect.sync(() => (index < pieces ? Option.some(pieceOf(index++)) : Option.none()))
  const source = { isKept: false, to: 0, covers: undefined, next, end: Effect.succeed(end) }
  return partsOf({
    frame,
    source,
    first: Option.some(pieceOf(0)),
    onEnd: () => undefined,
    idleMillis: 60_000,
    onIdle: () => undefined,
  })
}

/** Pauses after each chunk, so that the server fills its buffers. */
const readSlowly = async (response: IncomingMessage, encoding: "identity" | "gzip") => {
  const source = encoding === "gzip" ? response.pipe(createGunzip()) : response
  const chunks: Array<Buffer> = []
  for await (const chunk of source) {
    chunks.push(chunk)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return Buffer.concat(chunks)
}

describe("Large parts sent from recycled buffers", () => {
  for (const encoding of ["identity", "gzip"] as const) {
    it(`reach a slow reader unchanged, as ${encoding}`, async () => {
      const server = createServer((_, reply) => void pipeline(streamedParts(sending(), encoding), reply))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const response = await new Promise<IncomingMessage>((resolve) => get({ port, host: "127.0.0.1" }, resolve))
      const read = await readSlowly(response, encoding)
      server.close()
      assert.strictEqual(read.length, expected.length)
      assert.isTrue(read.equals(expected))
    })
  }
})
