import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"

/** Changes the text of an answer; `asked` is the body of the request. */
export type Change = (answer: string, path: string, asked: string) => string

const unchanged: Change = (answer) => answer

/** A server before the venue, for what the venue does not do by itself. */
export const venueBefore = (venue: string) =>
  Effect.gen(function* () {
    let change = unchanged
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const made = createServer(async (request, response) => {
          const [path = "", method = "GET", asked] = [request.url, request.method, await text(request)]
          try {
            const body = method === "GET" ? {} : { body: asked }
            const answered = await fetch(`${venue}${path}`, { method, ...body })
            const type = answered.headers.get("content-type") ?? "application/json"
            const changed = change(await answered.text(), path, asked)
            response.writeHead(answered.status, { "content-type": type }).end(changed)
          } catch {
            response.destroy()
          }
        })
        await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve))
        return made
      }),
      (made) =>
        Effect.promise(() => {
          made.closeAllConnections()
          return new Promise<void>((resolve) => made.close(() => resolve()))
        }),
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      /** Runs an effect while answers are changed. */
      whileChanged: <A, E, R>(next: Change, effect: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            change = next
          }),
          () => effect,
          () =>
            Effect.sync(() => {
              change = unchanged
            }),
        ),
    }
  })
