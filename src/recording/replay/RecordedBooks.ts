import type { AnswerLine, FrameLine } from "../model.ts"
import type { RecordedAnswer } from "./Answer.ts"
import { eventsIn } from "./marketFrames.ts"
import { Versions } from "./Versions.ts"

const tokenOf = (value: unknown): string | undefined => {
  const token = typeof value === "object" && value !== null && "asset_id" in value ? value.asset_id : undefined
  return typeof token === "string" ? token : undefined
}

const notFound: RecordedAnswer = {
  status: 404,
  text: JSON.stringify({ error: "No orderbook exists for the requested token id" }),
}

/** Whole books by token, from requests and from the socket. */
export class RecordedBooks {
  readonly #books = new Versions<unknown>()

  constructor(answers: ReadonlyArray<AnswerLine>, frames: ReadonlyArray<FrameLine>) {
    const ofRequests = answers.filter(({ path, status }) => status === 200 && /^\/books?\b/.test(path))
    const found = [
      ...ofRequests.map(({ at, text }) => ({ at, books: eventsIn(text) })),
      ...frames.map(({ at, text }) => ({
        at,
        books: text.includes('"book"') ? eventsIn(text).filter((one) => Object(one)["event_type"] === "book") : [],
      })),
    ]
    for (const { at, books } of found.toSorted((a, b) => a.at - b.at))
      for (const book of books) {
        const token = tokenOf(book)
        if (token !== undefined) this.#books.add(token, at, book)
      }
  }

  /** The answer to a request for books; undefined if it is another request. */
  answer(path: string, query: URLSearchParams, body: unknown, now: number): RecordedAnswer | undefined {
    if (path === "/book") {
      const book = this.#books.at(query.get("token_id") ?? "", now)
      return book === undefined ? notFound : { status: 200, text: JSON.stringify(book) }
    }
    if (path !== "/books" || !Array.isArray(body)) return undefined
    const books = body.flatMap((one) => this.#books.at(String(Object(one)["token_id"]), now) ?? [])
    return { status: 200, text: JSON.stringify(books) }
  }
}
