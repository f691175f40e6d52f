import { Effect, RcRef } from "effect"
import { startThread } from "#src/platform/process/Thread.ts"
import { jsonInParts } from "../jsonInParts.ts"
import { type LocatedPage, locateRows, type RowPlace } from "./locateRows.ts"

const entry = new URL("./rowsThread.ts", import.meta.url)

/** Shorter pages are read sooner than they are sent to a thread. */
const shortPage = 128 * 1024

/** A row that is parsed only if it is not known: most rows of a list are as they were a minute ago. */
export class RowText {
  readonly fingerprint: string
  readonly #bytes: Buffer
  readonly #place: RowPlace

  constructor(bytes: Buffer, place: RowPlace) {
    this.#bytes = bytes
    this.#place = place
    this.fingerprint = place.fingerprint
  }

  get text(): string {
    return this.#bytes.toString("utf8", this.#place.start, this.#place.end)
  }
}

/** The page with the texts of its rows; one that is no JSON fails as the usual parser says. */
const withTexts = ({ bytes, page }: LocatedPage): Effect.Effect<unknown, Error> => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.map((place: RowPlace) => new RowText(buffer, place)) : value
  if (Array.isArray(page)) return Effect.succeed(texts(page))
  if (typeof page !== "object" || page === null) return jsonInParts(buffer.toString("utf8"))
  return Effect.succeed(Object.fromEntries(Object.entries(page).map(([name, value]) => [name, texts(value)])))
}

/** Reads pages of rows in a thread, which is started when it is needed: a sweep reads hundreds of megabytes. */
export const pageReader = Effect.gen(function* () {
  const thread = yield* RcRef.make({
    acquire: startThread<Uint8Array<ArrayBuffer>, LocatedPage>(entry, { name: "catalogue" }),
    idleTimeToLive: "2 minutes",
  })
  const inThread = (bytes: Uint8Array<ArrayBuffer>) =>
    Effect.flatMap(RcRef.get(thread), (ask) => ask(bytes, [bytes.buffer])).pipe(
      Effect.scoped,
      // The next page starts another one.
      Effect.tapError(() => RcRef.invalidate(thread)),
    )
  return (bytes: Uint8Array<ArrayBuffer>) =>
    Effect.flatMap(
      bytes.length < shortPage ? Effect.sync(() => locateRows(bytes)) : inThread(bytes),
      withTexts,
    ) satisfies Effect.Effect<unknown, Error>
})
