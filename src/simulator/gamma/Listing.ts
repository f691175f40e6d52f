import { floats } from "../world/columns.ts"
import type { Millis } from "../world/model.ts"
import type { Event, Market, Venue } from "../world/Venue.ts"

/** The world creates markets slightly before they are visible, but planned times are exact. */
const closesAt = ({ plan, createdAt }: Market): Millis => Math.max(createdAt, plan.resolvesAt)

const append = <K>(index: Map<K, Array<number>>, key: K, event: number): void => {
  const list = index.get(key)
  if (list === undefined) index.set(key, [event])
  else list.push(event)
}

/** Ids are consecutive. */
const withId = <A extends { readonly id: string }>(
  id: string,
  list: ReadonlyArray<A>,
  count: number,
): A | undefined => {
  const index = Number(id) - Number(list[0]?.id)
  return index < count && list[index]?.id === id ? list[index] : undefined
}

const none: ReadonlyArray<number> = []

/** The publicly visible events and their indexes. Lists hold ascending indexes into `venue.events`. */
export class Listing {
  readonly #venue: Venue
  readonly #eventClosesAt = floats()
  readonly #ofTag = new Map<string, Array<number>>()
  readonly #ofSeries = new Map<string, Array<number>>()
  readonly #ofGame = new Map<number, Array<number>>()
  readonly #marketOfSlug = new Map<string, Market>()
  readonly #markets: Array<Market> = []
  readonly byQuestion: LazyIndex<Market>
  /** Number of visible events, in order of creation. */
  visibleEvents = 0

  constructor(venue: Venue) {
    this.#venue = venue
    this.byQuestion = new LazyIndex(venue.markets, ({ questionId }) => questionId)
  }

  catchUp(now: Millis): void {
    for (;;) {
      const event = this.#venue.events[this.visibleEvents]
      if (event === undefined || event.plan.createdAt > now) return
      this.#addEvent(event)
    }
  }

  /** When the last of its markets closes. */
  eventClosesAt(event: number): Millis {
    return this.#eventClosesAt.get(event)
  }

  /** A market closes when its result is reported, some time after the end of trading. */
  marketClosesAt(market: Market): Millis {
    return closesAt(market)
  }

  event(index: number): Event | undefined {
    return index < this.visibleEvents ? this.#venue.events[index] : undefined
  }

  /** The market if it is visible. Combos never are. */
  visible(market: Market | undefined): Market | undefined {
    if (market === undefined || market.legs !== undefined) return undefined
    return market.event.index < this.visibleEvents ? market : undefined
  }

  eventById(id: string): Event | undefined {
    return withId(id, this.#venue.events, this.visibleEvents)
  }

  marketById(id: string): Market | undefined {
    return this.visible(withId(id, this.#venue.markets, this.#venue.markets.length))
  }

  allEvents(): ReadonlyArray<Event> {
    return this.#venue.events.slice(0, this.visibleEvents)
  }

  allMarkets(): ReadonlyArray<Market> {
    return this.#markets
  }

  eventsAt(indexes: ReadonlyArray<number>): ReadonlyArray<Event> {
    return indexes.map((index) => this.#venue.events[index] as Event)
  }

  eventBySlug(slug: string): Event | undefined {
    const event = this.#venue.bySlug.get(slug)
    return event === undefined ? undefined : this.event(event.index)
  }

  marketBySlug(slug: string): Market | undefined {
    return this.#marketOfSlug.get(slug)
  }

  marketsOf({ markets }: Event): ReadonlyArray<Market> {
    return markets.map((index) => this.#venue.markets[index] as Market)
  }

  ofTag(tag: string): ReadonlyArray<number> {
    return this.#ofTag.get(tag) ?? none
  }

  ofSeries(series: string): ReadonlyArray<number> {
    return this.#ofSeries.get(series) ?? none
  }

  /** The main event of a game comes first. */
  ofGame(game: number): ReadonlyArray<number> {
    return this.#ofGame.get(game) ?? none
  }

  #addEvent(event: Event): void {
    const { index, plan } = event
    const markets = this.marketsOf(event)
    this.#eventClosesAt.push(Math.max(...markets.map(closesAt)))
    for (const { id } of plan.tags) append(this.#ofTag, id, index)
    if (plan.series !== undefined) append(this.#ofSeries, plan.series.id, index)
    if (plan.game !== undefined) append(this.#ofGame, plan.game.id, index)
    for (const market of markets) this.#marketOfSlug.set(market.plan.slug, market)
    this.#markets.push(...markets)
    this.visibleEvents += 1
  }
}

/**
 * Index by a key that is slow to compute. Keys are computed newest first, until the requested one is found: old markets
 * are rarely requested, and computing all keys would delay the start by seconds.
 */
export class LazyIndex<A> {
  readonly #items: ReadonlyArray<A>
  readonly #keyOf: (item: A) => string
  readonly #indexed = new Map<string, A>()
  /** Items in [low, high) are indexed. */
  #low: number
  #high: number

  constructor(items: ReadonlyArray<A>, keyOf: (item: A) => string) {
    this.#items = items
    this.#keyOf = keyOf
    this.#low = items.length
    this.#high = items.length
  }

  find(key: string): A | undefined {
    while (this.#high < this.#items.length) this.#add(this.#high++)
    while (this.#low > 0 && !this.#indexed.has(key)) this.#add(--this.#low)
    return this.#indexed.get(key)
  }

  #add(index: number): void {
    const item = this.#items[index] as A
    this.#indexed.set(this.#keyOf(item), item)
  }
}
