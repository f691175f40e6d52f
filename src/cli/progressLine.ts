import { Effect } from "effect"
import type { OnReached, Reached } from "#src/positions/rebuild.ts"

const width = 30
const everyMillis = 200

/** Shows a bar that moves on a terminal, on standard error; nothing where nobody watches. */
export const withProgressLine = <A, E, R>(
  work: (show: (what: string) => OnReached) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  if (process.stderr.isTTY !== true) return work(() => () => Effect.void)
  let shownAt = Number.NEGATIVE_INFINITY
  const show =
    (what: string) =>
    ({ first, last, block }: Reached) =>
      Effect.sync(() => {
        const now = performance.now()
        if (now - shownAt < everyMillis) return
        shownAt = now
        const share = (block - first + 1) / (last - first + 1)
        const full = Math.floor(width * share)
        const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`
        process.stderr.write(`\r\u001b[2K${what}  ${bar}  ${Math.floor(100 * share)} %`)
      })
  return Effect.ensuring(
    work(show),
    Effect.sync(() => process.stderr.write("\r\u001b[2K")),
  )
}
