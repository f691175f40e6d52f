import { floats } from "../world/columns.ts"
import type { Millis } from "../world/model.ts"
import type { Event, Market, Venue } from "../world/Venue.ts"
import { LazyIndex } from "./LazyIndex.ts"

/** The world knows markets a little before they are shown, but what is planned for a moment happens at it. */
const closesAt = ({ plan, createdAt }: Market): Millis => Math.max(createdAt, plan.resolvesAt)

const addTo = <K>(index: Map<K, Array<number>>, key: K, event: number): void => {
  const list = index.get(key)
  if (list === undefined) index.set(key, [event])
  else list.push(event)
}

/** Ids count up from the first. */
const withId = <A extends { readonly id: string }>(id: string, list: ReadonlyArray<A>, seen: number): A | undefined => {
  const place = Number(id) - Number(list[0]?.id)
  return place < seen && list[place]?.id === id ? list[place] : undefined
}

const none: ReadonlyArray<number> = []

/** The events that the outside can see, and ways to find them. Lists are of places in `venue.events`, rising. */
export class Listing {
  readonly #venue: Venue
  readonly #eventClosesAt = floats()
  readonly #ofTag = new Map<string, Array<number>>()
  readonly #ofSeries = new Map<string, Array<number>>()
  readonly #ofGame = new Map<number, Array<number>>()
  readonly #marketOfSlug = new Map<string, Market>()
  readonly #markets: Array<Market> = []
  readonly byQuestion: LazyIndex<Market>
  /** How many events can be seen; they are listed in order of creation. */
  events = 0

  constructor(venue: Venue) {
    this.#venue = venue
    this.byQuestion = new LazyIndex(venue.markets, ({ questionId }) => questionId)
  }

  catchUp(now: Millis): void {
    for (;;) {
      const event = this.#venue.events[this.events]
      if (event === undefined || event.plan.createdAt > now) return
      this.#admit(event)
    }
  }

  /** When the last of its markets closes. */
  eventClosesAt(event: number): Millis {
    return this.#eventClosesAt.get(event)
  }

  /** Trading ends some time before: a market is closed when its result is reported. */
  marketClosesAt(market: Market): Millis {
    return closesAt(market)
  }

  event(index: number): Event | undefined {
    return index < this.events ? this.#venue.events[index] : undefined
  }

  /** A market found by other means, if it is listed: combos are not. */
  shown(market: Market | undefined): Market | undefined {
    if (market === undefined || market.legs !== undefined) return undefined
    return market.event.index < this.events ? market : undefined
  }

  eventWithId(id: string): Event | undefined {
    return withId(id, this.#venue.events, this.events)
  }

  marketWithId(id: string): Market | undefined {
    return this.shown(withId(id, this.#venue.markets, this.#venue.markets.length))
  }

  allEvents(): ReadonlyArray<Event> {
    return this.#venue.events.slice(0, this.events)
  }

  allMarkets(): ReadonlyArray<Market> {
    return this.#markets
  }

  eventsAt(places: ReadonlyArray<number>): ReadonlyArray<Event> {
    return places.map((place) => this.#venue.events[place] as Event)
  }

  eventWith(slug: string): Event | undefined {
    const event = this.#venue.bySlug.get(slug)
    return event === undefined ? undefined : this.event(event.index)
  }

  marketWith(slug: string): Market | undefined {
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

  #admit(event: Event): void {
    const { index, plan } = event
    const markets = this.marketsOf(event)
    this.#eventClosesAt.push(Math.max(...markets.map(closesAt)))
    for (const { id } of plan.tags) addTo(this.#ofTag, id, index)
    if (plan.series !== undefined) addTo(this.#ofSeries, plan.series.id, index)
    if (plan.game !== undefined) addTo(this.#ofGame, plan.game.id, index)
    for (const market of markets) this.#marketOfSlug.set(market.plan.slug, market)
    this.#markets.push(...markets)
    this.events += 1
  }
}
