import { Effect, Result, Schema } from "effect"
import { skip, type Unread } from "../undecodable.ts"

/** The rows that can be read; the others are counted, logged and left out. */
export const readableRows = <A>(what: string, schema: Schema.Decoder<A>, rows: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const decode = Schema.decodeUnknownResult(schema)
    const good: Array<A> = []
    const unread: Array<Unread> = []
    for (const item of rows) {
      const result = decode(item)
      if (Result.isSuccess(result)) good.push(result.success)
      else unread.push({ reason: result.failure.message, item })
    }
    yield* skip("clob", what, unread)
    return good as ReadonlyArray<A>
  })
