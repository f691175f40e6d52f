import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import type { IsKnown } from "#src/upstream/gamma/freshEvents.ts"
import type { EventPage } from "#src/upstream/gamma/Gamma.ts"

/** Even an event that does not change is written again after such a time, should anything else have changed its rows. */
const [least, most] = [10 * 60_000, 20 * 60_000]

/** The live source may have changed the state of a game that has begun, or is about to. */
const beforeStart = 60 * 60_000

interface Written {
  readonly fingerprint: string
  readonly until: number
  /** Only of games, and without markets. */
  readonly game: CatalogueEvent | undefined
}

/** The events that this process has written, by which it knows those that the venue lists unchanged. */
export class WrittenEvents {
  readonly #byId = new Map<number, Written>()

  has(id: number): boolean {
    return this.#byId.has(id)
  }

  /** Whether an event is listed as it was written. */
  unchangedAt(now: number): IsKnown {
    return (id, fingerprint) => {
      const written = this.#byId.get(id)
      return written !== undefined && written.fingerprint === fingerprint && now < written.until
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
  remember({ items, fingerprints }: Pick<EventPage, "items" | "fingerprints">, now: number): void {
    for (const event of items) {
      const fingerprint = fingerprints.get(event.id)
      if (fingerprint === undefined || event.closed) this.#byId.delete(event.id)
      else
        this.#byId.set(event.id, {
          fingerprint,
          // Spread by id, so that they do not all become due at once.
          until: now + least + ((event.id * 7_919) % (most - least)),
          game: event.game === null ? undefined : { ...event, markets: [] },
        })
    }
  }

  forget(ids: ReadonlyArray<number>): void {
    for (const id of ids) this.#byId.delete(id)
  }
}
