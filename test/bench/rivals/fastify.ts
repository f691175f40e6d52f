import Fastify from "fastify"
import { expose } from "../support/expose.ts"
import type { HttpSubject } from "../support/http.ts"

// As in Fastify's guide: an async handler that returns the value, and a response schema for speed.
const app = Fastify()

expose<HttpSubject>({
  listen: async (bodies) => {
    for (const [path, body] of Object.entries(bodies)) {
      const properties = Object.fromEntries(Object.keys(body).map((key) => [key, { type: "string" }]))
      app.get(path, { schema: { response: { 200: { type: "object", properties } } } }, async () => body)
    }
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
})
