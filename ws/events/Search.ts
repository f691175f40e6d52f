import { matches } from "#src/feed/Filter.ts"
import type { FeedEntry, FeedMessage } from "#src/feed/model.ts"
import type { Wish } from "./Audiences.ts"
import { pageSpan } from "./Pages.ts"
import type { Ring } from "./Ring.ts"

/** Pages of the log that are looked through for the last so many of something rare. */
const mostPages = 20

/** The newest so many that match, looked for backwards: in memory first, then in the log page by page. */
export class Search {
  readonly #wish: Wish
  readonly #count: number
  /** What is in memory now is looked at now; the pages are those before it. */
  readonly #floor: number
  readonly #found: Array<FeedMessage> = []
  #page: number
  #pagesLeft = mostPages

  constructor(wish: Wish, count: number, ring: Ring) {
    this.#wish = wish
    this.#count = count
    this.#floor = ring.floor
    this.#page = Math.ceil(ring.floor / pageSpan) - 1
    for (const entry of ring.backwards()) {
      if (this.#isFull) break
      this.#take(entry)
    }
  }

  /** The page to be looked at next; undefined when the search is over. */
  get page(): number | undefined {
    return this.#isFull || this.#page < 0 || this.#pagesLeft === 0 ? undefined : this.#page
  }

  look(entries: ReadonlyArray<FeedEntry>): void {
    for (const entry of entries.toReversed()) if (entry.seq <= this.#floor && !this.#isFull) this.#take(entry)
    this.#page -= 1
    this.#pagesLeft -= 1
  }

  /** Oldest first. */
  get found(): Array<FeedMessage> {
    return this.#found.toReversed()
  }

  /** Where it gave up before it had found as many; undefined where it did not. */
  get gaveUpAt(): number | undefined {
    return !this.#isFull && this.#page >= 0 ? (this.#page + 1) * pageSpan : undefined
  }

  get #isFull(): boolean {
    return this.#found.length >= this.#count
  }

  #take({ messages }: FeedEntry): void {
    for (const message of messages.toReversed()) {
      if (!this.#isFull && matches(this.#wish.filter, message)) this.#found.push(message)
    }
  }
}
