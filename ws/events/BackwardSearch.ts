import { matches } from "#src/feed/filters/Filter.ts"
import type { FeedEntry, FeedMessage } from "#src/feed/model.ts"
import { pageSpan } from "./LogPages.ts"
import type { RecentEntries } from "./RecentEntries.ts"
import type { KeyedFilter } from "./SubscriberIndex.ts"

/** The search for rare events gives up after this many pages of the log. */
const maxPages = 20
/** Entries in memory that are searched at a time, about a millisecond. */
const partEntries = 1_000

/** Searches backwards for the newest matching events: in memory first, then in the log page by page. */
export class BackwardSearch {
  readonly #filter: KeyedFilter
  readonly #count: number
  /** Entries in memory that have yet to be searched. */
  readonly #recent: Iterator<FeedEntry>
  /** Pages contain the entries up to this seq. */
  readonly #floor: number
  readonly #found: Array<FeedMessage> = []
  #page: number
  #pagesLeft = maxPages

  constructor(filter: KeyedFilter, count: number, recent: RecentEntries) {
    this.#filter = filter
    this.#count = count
    this.#floor = recent.floor
    this.#page = Math.ceil(recent.floor / pageSpan) - 1
    this.#recent = recent.backwards()[Symbol.iterator]()
  }

  /** Searches a part of the entries in memory; false when there are none left to search. */
  searchMemory(): boolean {
    for (let count = 0; count < partEntries; count++) {
      const { done, value } = this.#isFull ? { done: true, value: undefined } : this.#recent.next()
      if (done || value === undefined) return false
      this.#add(value)
    }
    return true
  }

  /** The next page to search after the memory; undefined when the search is over. */
  get page(): number | undefined {
    return this.#isFull || this.#page < 0 || this.#pagesLeft === 0 ? undefined : this.#page
  }

  addPage(entries: ReadonlyArray<FeedEntry>): void {
    for (const entry of entries.toReversed()) if (entry.seq <= this.#floor && !this.#isFull) this.#add(entry)
    this.#page -= 1
    this.#pagesLeft -= 1
  }

  /** Oldest first. */
  get found(): Array<FeedMessage> {
    return this.#found.toReversed()
  }

  /** The seq at which the search stopped before it found enough events; undefined otherwise. */
  get gaveUpAt(): number | undefined {
    return !this.#isFull && this.#page >= 0 ? (this.#page + 1) * pageSpan : undefined
  }

  get #isFull(): boolean {
    return this.#found.length >= this.#count
  }

  #add({ messages }: FeedEntry): void {
    for (const message of messages.toReversed()) {
      if (!this.#isFull && matches(this.#filter.filter, message)) this.#found.push(message)
    }
  }
}
