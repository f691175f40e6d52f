import { Effect, Result, Schema } from "effect"
import type { UpstreamName } from "./settings.ts"
import { skip, type UndecodableItem } from "./undecodable.ts"

/** Decodes the rows of a response; undecodable ones are counted, logged and left out. */
export const decodeRows = <A>(
  upstream: UpstreamName,
  what: string,
  schema: Schema.Decoder<A>,
  rows: ReadonlyArray<unknown>,
) =>
  Effect.gen(function* () {
    const decode = Schema.decodeUnknownResult(schema)
    const good: Array<A> = []
    const undecodable: Array<UndecodableItem> = []
    for (const item of rows) {
      const result = decode(item)
      if (Result.isSuccess(result)) good.push(result.success)
      else undecodable.push({ reason: result.failure.message, item })
    }
    yield* skip(upstream, what, undecodable)
    return good as ReadonlyArray<A>
  })
