import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import type { KnownEvents, ListedEvent } from "#src/upstream/gamma/freshEvents.ts"
import type { EventPage } from "#src/upstream/gamma/Gamma.ts"

/** Even an event that does not change is written again after such a time, should anything else have changed its rows. */
const [least, most] = [10 * 60_000, 20 * 60_000]

/** The live source may have changed the state of a game that has begun, or is about to. */
const beforeStart = 60 * 60_000

interface Written {
  readonly listed: ListedEvent
  readonly until: number
  /** Only of games, and without markets. */
  readonly game: CatalogueEvent | undefined
}

/** The events that this process has written, by which it knows those that the venue lists unchanged. */
export class WrittenEvents {
  readonly #byId = new Map<number, Written>()
  readonly #idOf = new Map<string, number>()

  has(id: number): boolean {
    return this.#byId.has(id)
  }

  /** The events that are listed as they were written. */
  unchangedAt(now: number): KnownEvents {
    return {
      withText: (fingerprint) => {
        const written = this.#byId.get(this.#idOf.get(fingerprint) ?? -1)
        return written !== undefined && now < written.until ? written.listed : undefined
      },
    }
  }

  /** Those of the events whose games may be in another state than the catalogue has written. */
  gamesOf(ids: ReadonlyArray<number>, now: number): ReadonlyArray<CatalogueEvent> {
    return ids.flatMap((id) => {
      const event = this.#byId.get(id)?.game
      const startsAt = event?.game?.startsAt ?? 0
      return event !== undefined && startsAt - beforeStart <= now ? [event] : []
    })
  }

  /** Call it after the page was written. */
  remember({ items, listed }: Pick<EventPage, "items" | "listed">, now: number): void {
    for (const event of items) {
      this.#delete(event.id)
      const asListed = listed.get(event.id)
      if (asListed === undefined || event.closed) continue
      this.#idOf.set(asListed.fingerprint, event.id)
      this.#byId.set(event.id, {
        listed: asListed,
        // Spread by id, so that they do not all become due at once.
        until: now + least + ((event.id * 7_919) % (most - least)),
        game: event.game === null ? undefined : { ...event, markets: [] },
      })
    }
  }

  forget(ids: ReadonlyArray<number>): void {
    for (const id of ids) this.#delete(id)
  }

  #delete(id: number): void {
    const written = this.#byId.get(id)
    if (written === undefined) return
    this.#byId.delete(id)
    this.#idOf.delete(written.listed.fingerprint)
  }
}
