import { Effect } from "effect"
import { overwriteLine, progressBar } from "#src/platform/process/progressBar.ts"
import type { OnProgress, BlockProgress } from "#src/repair/rebuild.ts"

const everyMillis = 200

/** Shows a bar that moves on a terminal, on standard error; nothing where nobody watches. */
export const withProgressLine = <A, E, R>(
  work: (show: (what: string) => OnProgress) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => {
  if (process.stderr.isTTY !== true) return work(() => () => Effect.void)
  let shownAt = Number.NEGATIVE_INFINITY
  const show =
    (what: string) =>
    ({ first, last, block }: BlockProgress) =>
      Effect.sync(() => {
        const now = performance.now()
        if (now - shownAt < everyMillis) return
        shownAt = now
        overwriteLine(`${what}  ${progressBar((block - first + 1) / (last - first + 1))}`)
      })
  return Effect.ensuring(
    work(show),
    Effect.sync(() => overwriteLine("")),
  )
}
