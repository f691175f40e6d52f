import { Context, Layer } from "effect"
import type { Incoming, Reply } from "./Exchange.ts"

/** Answers a request that has been admitted; false when it has to go the usual way. */
type Take = (request: Incoming, reply: Reply) => boolean

/** A way past the router, for requests whose answer lies ready. Closed until somebody opens it. */
export class ShortCut extends Context.Service<ShortCut, { readonly take: Take; readonly open: (take: Take) => void }>()(
  "presage/http/ShortCut",
) {
  static readonly layer = Layer.sync(ShortCut, () => {
    let opened: Take = () => false
    return ShortCut.of({
      take: (request, reply) => opened(request, reply),
      open: (take) => {
        opened = take
      },
    })
  })
}
