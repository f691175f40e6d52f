import { Effect } from "effect"
import * as HttpRouter from "effect/unstable/http/HttpRouter"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"

/** More than the kernel takes for a client that does not read. */
export const largeBody = Buffer.alloc(32 * 2 ** 20, "x")

/** A route with this body that counts its answers. */
export const largeAnswer = () => {
  const large = { started: 0, ended: 0 }
  const largeRoute = HttpRouter.add(
    "GET",
    "/v1/test/large",
    Effect.gen(function* () {
      large.started++
      yield* Effect.addFinalizer(() => Effect.sync(() => large.ended++))
      return HttpServerResponse.uint8Array(largeBody)
    }),
  )
  return { large, largeRoute }
}
