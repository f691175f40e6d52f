import { Effect } from "effect"
import { wait } from "./acts.ts"
import { Stage } from "./Stage.ts"

/** A request of a program, beside the browser. */
export const api = (key: string, path: string, method = "GET", body?: unknown) =>
  Effect.gen(function* () {
    const { url } = yield* Stage
    const response = yield* wait(() =>
      fetch(`${url}${path}`, {
        method,
        headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
    return (yield* wait(() => response.json())) as any
  })
