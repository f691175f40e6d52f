import { Context, type Fiber, References } from "effect"
import type { Incoming } from "../server/Exchange.ts"

/** Gives the log lines of the fiber the id of its request; the server restores the context when the request ends. */
export const annotateWithId = (fiber: Fiber.Fiber<unknown, unknown>, { requestId }: Incoming) => {
  const annotations = { ...fiber.getRef(References.CurrentLogAnnotations), request_id: requestId }
  fiber.setContext(Context.add(fiber.context, References.CurrentLogAnnotations, annotations))
}
