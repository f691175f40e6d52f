import { Context, Layer } from "effect"
import type { Incoming, Reply } from "./Exchange.ts"

/** Answers a received request; returns false if it has to take the regular path. */
type Take = (request: Incoming, reply: Reply) => boolean

/** Bypasses the router for requests with a cached answer. Disabled until `open` is called. */
export class FastPath extends Context.Service<FastPath, { readonly take: Take; readonly open: (take: Take) => void }>()(
  "presage/http/FastPath",
) {
  static readonly layer = Layer.sync(FastPath, () => {
    let current: Take = () => false
    return FastPath.of({
      take: (request, reply) => current(request, reply),
      open: (take) => {
        current = take
      },
    })
  })
}
