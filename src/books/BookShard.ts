import { MarketFeed } from "#src/upstream/clob/MarketFeed.ts"
import type { BookSnapshot, ClobEvent, LevelChange } from "#src/upstream/clob/model.ts"
import type { DecodedFrame } from "#src/upstream/clob/socketWire.ts"
import { FollowedBook } from "./FollowedBook.ts"
import type { ResyncReason } from "./model.ts"

/** One connection and when it last brought something. */
export class Line {
  readonly feed = new MarketFeed()
  isOpen = false
  hasBeenOpen = false
  heardAt = 0
}

interface Entry {
  readonly book: FollowedBook
  readonly line: Line
  /** Since when it waits for a first snapshot. */
  waitingSince: number
  /** The venue has no book of it; worth asking again then. */
  absentUntil: number
  /** Counts what makes an answer that is still on its way worthless. */
  generation: number
}

/** A question to the venue that may be out of date when it is answered. */
export interface Question {
  readonly token: string
  readonly reason: ResyncReason
  readonly generation: number
}

/** A subscription is answered with a snapshot at once; whoever waits longer asks. */
const patienceMillis = 1_000
const absentMillis = 10_000

/** The books of one shard: which connection tells of which, which are in doubt, which have changed. Does nothing by itself. */
export class BookShard {
  readonly #entries = new Map<string, Entry>()
  readonly #lines = new Set<Line>()
  readonly #doubts = new Map<string, ResyncReason>()
  #changed = new Set<string>()
  deltas = 0

  get lines(): ReadonlySet<Line> {
    return this.#lines
  }

  get held(): number {
    let live = 0
    for (const { book } of this.#entries.values()) if (book.isLive) live++
    return live
  }

  book(token: string): FollowedBook | undefined {
    return this.#entries.get(token)?.book
  }

  get tokens(): Iterable<string> {
    return this.#entries.keys()
  }

  /** Follows exactly these from now on. Returns the connections to be made and those to be ended, and who was left. */
  follow(wanted: ReadonlySet<string>, now: number) {
    const left = [...this.#entries.keys()].filter((token) => !wanted.has(token))
    const fresh = [...wanted].filter((token) => !this.#entries.has(token))
    const ended = this.#leave(left)
    const made: Array<Line> = []
    while (fresh.length > 0) {
      let line = [...this.#lines].find(({ feed }) => feed.room > 0)
      if (line === undefined) {
        line = new Line()
        this.#lines.add(line)
        made.push(line)
      }
      const part = fresh.splice(0, line.feed.room)
      for (const token of part) {
        const state = { waitingSince: now, absentUntil: 0, generation: 0 }
        this.#entries.set(token, { book: new FollowedBook(), line, ...state })
      }
      line.feed.follow(part)
    }
    return { made, ended, left }
  }

  opened(line: Line, now: number): void {
    for (const token of line.feed.tokens) {
      if (line.hasBeenOpen) this.#doubt(token, "reconnect")
      const entry = this.#entries.get(token)
      if (entry !== undefined) entry.waitingSince = now
    }
    line.isOpen = true
    line.hasBeenOpen = true
    line.heardAt = now
  }

  closed(line: Line): void {
    line.isOpen = false
    for (const token of line.feed.tokens) {
      const entry = this.#entries.get(token)
      if (entry === undefined) continue
      entry.generation++
      entry.book.forget()
      this.#doubts.delete(token)
      this.#changed.add(token)
    }
  }

  heard(line: Line, frame: DecodedFrame, now: number): void {
    line.heardAt = now
    for (const event of frame.events) this.#tell(line, event, now)
    // Nobody knows whom the lost message was about.
    if (frame.broken.length > 0) for (const token of line.feed.tokens) this.#doubt(token, "unreadable")
  }

  /** What the venue is to be asked for now, each once. */
  takeDoubts(now: number): ReadonlyArray<Question> {
    for (const [token, entry] of this.#entries) {
      const { book, line, waitingSince, absentUntil } = entry
      if (book.isLive || !line.isOpen || now < absentUntil || now - waitingSince < patienceMillis) continue
      if (!this.#doubts.has(token)) this.#doubts.set(token, "no-snapshot")
      entry.waitingSince = now
    }
    const questions = [...this.#doubts].flatMap(([token, reason]) => {
      const entry = this.#entries.get(token)
      return entry?.line.isOpen ? [{ token, reason, generation: entry.generation }] : []
    })
    this.#doubts.clear()
    return questions
  }

  /** The venue's answer; without a book there is none. */
  answer({ token, generation }: Question, snapshot: BookSnapshot | undefined, now: number): void {
    const entry = this.#entries.get(token)
    if (entry === undefined || entry.generation !== generation || entry.book.isLive) return
    if (snapshot === undefined) entry.absentUntil = now + absentMillis
    else this.#judge(token, entry, entry.book.install(snapshot, now))
  }

  /** There was no answer. */
  askAgain(questions: ReadonlyArray<Question>): void {
    for (const { token, reason } of questions) this.#doubt(token, reason)
  }

  /** Tells whether the book lags behind what the venue showed a while ago. */
  audit(shown: BookSnapshot): boolean {
    const book = this.#entries.get(shown.token)?.book
    const reason = book?.audit(shown)
    if (reason !== undefined) this.#doubt(shown.token, reason)
    else if (book?.adoptLastTrade(shown)) this.#changed.add(shown.token)
    return reason === "behind"
  }

  lineOf(token: string): Line | undefined {
    return this.#entries.get(token)?.line
  }

  /** Those whose book is another than when this was last asked, or is no longer sure, or no longer followed. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /** They were not passed on after all. */
  returnChanged(tokens: Iterable<string>): void {
    for (const token of tokens) this.#changed.add(token)
  }

  #leave(tokens: ReadonlyArray<string>): ReadonlyArray<Line> {
    for (const line of this.#lines) line.feed.leave(tokens.filter((token) => line.feed.tokens.has(token)))
    for (const token of tokens) {
      this.#entries.delete(token)
      this.#doubts.delete(token)
      this.#changed.add(token)
    }
    const ended = [...this.#lines].filter(({ feed }) => feed.tokens.size === 0)
    for (const line of ended) this.#lines.delete(line)
    return ended
  }

  #tell(line: Line, event: ClobEvent, now: number): void {
    switch (event.kind) {
      case "changes":
        this.#tellChanges(line, event.at, event.changes, now)
        break
      case "book":
        this.#on(line, event.book.token, ({ book }) => book.tellBook(event.book, now))
        break
      case "trade":
        this.#on(line, event.token, ({ book }) => book.tellTrade(event))
        break
      case "tick-size":
        this.#on(line, event.token, ({ book }) => book.tellTickSize(event.tickSize))
        break
      case "resolved":
        for (const token of event.tokens) {
          this.#on(line, token, (entry) => {
            entry.book.forget()
            entry.absentUntil = now + absentMillis
            return undefined
          })
        }
        break
      // Best prices on their own say nothing that the changes do not; new markets are the catalogue's.
      case "best":
      case "new-market":
        break
    }
  }

  /** A message is about both outcomes of a market, of which perhaps only one is followed here. */
  #tellChanges(line: Line, at: number, changes: ReadonlyArray<LevelChange>, now: number): void {
    const byToken = new Map<string, Array<LevelChange>>()
    for (const change of changes) {
      const own = byToken.get(change.token)
      if (own === undefined) byToken.set(change.token, [change])
      else own.push(change)
    }
    for (const [token, own] of byToken) {
      this.#on(line, token, ({ book }) => {
        this.deltas += own.length
        return book.tellChanges(at, own, now)
      })
    }
  }

  /** Tells a book something that came on its own connection. */
  #on(line: Line, token: string, tell: (entry: Entry) => ResyncReason | undefined): void {
    const entry = this.#entries.get(token)
    if (entry?.line === line) this.#judge(token, entry, tell(entry))
  }

  #judge(token: string, { book }: Entry, reason: ResyncReason | undefined): void {
    this.#changed.add(token)
    if (reason !== undefined) this.#doubt(token, reason)
    else if (book.isLive) this.#doubts.delete(token)
  }

  #doubt(token: string, reason: ResyncReason): void {
    const entry = this.#entries.get(token)
    if (entry === undefined) return
    entry.book.doubt()
    if (reason === "reconnect" || reason === "unreadable") entry.book.miss()
    this.#changed.add(token)
    if (!this.#doubts.has(token)) this.#doubts.set(token, reason)
  }
}
