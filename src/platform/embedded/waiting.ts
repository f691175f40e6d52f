import { Effect } from "effect"

/** Real time, not `Effect.sleep`: server processes do not follow a test clock. */
export const pause = (millis: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Repeats the check until it returns a value or the time is up. */
export const poll = Effect.fnUntraced(function* <A, E, R>(
  check: Effect.Effect<A | undefined, E, R>,
  options: { readonly forMillis: number; readonly everyMillis?: number },
): Effect.fn.Return<A | undefined, E, R> {
  const deadline = performance.now() + options.forMillis
  while (true) {
    const found = yield* check
    if (found !== undefined) return found
    if (performance.now() >= deadline) return undefined
    yield* pause(options.everyMillis ?? 15)
  }
})
