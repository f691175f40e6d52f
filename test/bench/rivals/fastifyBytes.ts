import { gzipSync } from "node:zlib"
import Fastify from "fastify"
import { listOf, sizes } from "../support/cached.ts"
import { expose } from "../support/expose.ts"

export interface BytesSubject {
  readonly listen: () => Promise<number>
}

/** Sends prepared bytes and does nothing else. */
const app = Fastify()

expose<BytesSubject>({
  listen: async () => {
    for (const [name, size] of Object.entries(sizes)) {
      const plain = Buffer.from(JSON.stringify(listOf(size)))
      const packed = gzipSync(plain)
      app.get(`/${name}`, (request, reply) => {
        reply.header("content-type", "application/json")
        if (request.headers["accept-encoding"] !== "gzip") return reply.send(plain)
        return reply.header("content-encoding", "gzip").send(packed)
      })
    }
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
