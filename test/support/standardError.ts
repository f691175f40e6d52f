import { Effect } from "effect"

/** Everything that is written to stderr until the scope closes, and not shown. */
export const standardError = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const { write } = process.stderr
      const lines: Array<string> = []
      process.stderr.write = (chunk: unknown) => lines.push(String(chunk)) > 0
      return { lines, write }
    }),
    ({ write }) =>
      Effect.sync(() => {
        process.stderr.write = write
      }),
  ),
  ({ lines }) => lines,
)
