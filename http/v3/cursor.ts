import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { Secrets } from "#src/secrets/Secrets.ts"
import { BadInput } from "../server/errors.ts"

const validForSeconds = 86_400
const signatureBytes = 16

/** What a list is asked for, except where its page begins. */
export type ListedQuery = Readonly<Record<string, unknown>>

/** The same for the same question, in whatever order its parameters come. */
const fingerprintOf = (query: ListedQuery): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest("base64url")
    .slice(0, 16)

const refused = (param: string, problem: string, hint = "Omit it to start with the first page.") =>
  new BadInput({ error: `Parameter "${param}": ${problem}.`, param, hint })

/** The parameter of a cursor, and the field of answers that it comes from. */
export interface CursorNames {
  readonly param: string
  readonly field: string
}
const usualNames: CursorNames = { param: "cursor", field: "next_cursor" }

/**
 * Issues opaque cursors that are bound to their query, signed and valid for a day. A position is a few integers that do
 * not change as rows are added, so that pages neither overlap nor skip.
 */
export class Cursors extends Context.Service<
  Cursors,
  {
    readonly issue: (query: ListedQuery, position: ReadonlyArray<number | bigint>) => Effect.Effect<string>
    readonly open: (
      query: ListedQuery,
      cursor: string,
      names?: CursorNames,
    ) => Effect.Effect<ReadonlyArray<bigint>, BadInput>
  }
>()("presage/http/Cursors") {
  static readonly layer = Layer.effect(
    Cursors,
    Effect.gen(function* () {
      const { pepper } = yield* Secrets
      const signatureOf = (text: string) =>
        createHmac("sha256", Redacted.value(pepper)).update(`cursor ${text}`).digest().subarray(0, signatureBytes)
      const seconds = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1000))
      return Cursors.of({
        issue: (query, position) =>
          Effect.map(seconds, (now) => {
            const text = [fingerprintOf(query), now + validForSeconds, ...position].join(".")
            return Buffer.concat([signatureOf(text), Buffer.from(text)]).toString("base64url")
          }),
        open: Effect.fnUntraced(function* (query, cursor, { param, field } = usualNames) {
          const bytes = Buffer.from(cursor, "base64url")
          const text = bytes.subarray(signatureBytes).toString("latin1")
          const isSigned =
            bytes.length > signatureBytes &&
            bytes.toString("base64url") === cursor &&
            timingSafeEqual(bytes.subarray(0, signatureBytes), signatureOf(text))
          if (!isSigned) return yield* refused(param, `expected the unchanged \`${field}\` of an earlier page`)
          const [fingerprint, expires, ...position] = text.split(".")
          if (Number(expires) <= (yield* seconds))
            return yield* refused(param, "expired, cursors are valid for 24 hours")
          if (fingerprint !== fingerprintOf(query)) {
            return yield* refused(
              param,
              "belongs to another query",
              "Repeat the parameters of the page that it comes from; only `limit` may differ.",
            )
          }
          return position.map(BigInt)
        }),
      })
    }),
  )
}
