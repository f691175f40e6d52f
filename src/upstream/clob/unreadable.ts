import { Effect, Metric, Result, Schema } from "effect"

const unreadable = (what: string) =>
  Metric.counter("presage_upstream_decode_failures_total", {
    description: "Rows and messages of upstreams that could not be read",
    incremental: true,
    attributes: { upstream: "clob", what },
  })

/** Counts what could not be read and keeps a sample in the log. */
export const countUnreadable = (what: string, reasons: ReadonlyArray<string>, sample: string) =>
  reasons.length === 0
    ? Effect.void
    : Metric.update(unreadable(what), reasons.length).pipe(
        Effect.andThen(
          Effect.logWarning(`clob ${what}: ${reasons.length} could not be read: ${reasons[0]}`).pipe(
            Effect.annotateLogs({ sample: sample.slice(0, 300) }),
          ),
        ),
      )

/** The rows that can be read; the others are counted, logged and left out. */
export const readableRows = <A>(what: string, schema: Schema.Decoder<A>, rows: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const decode = Schema.decodeUnknownResult(schema)
    const good: Array<A> = []
    const reasons: Array<string> = []
    let sample: unknown
    for (const row of rows) {
      const result = decode(row)
      if (Result.isSuccess(result)) good.push(result.success)
      else {
        reasons.push(result.failure.message)
        sample ??= row
      }
    }
    yield* countUnreadable(what, reasons, JSON.stringify(sample) ?? "")
    return good as ReadonlyArray<A>
  })
