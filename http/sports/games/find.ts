import { Effect } from "effect"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Listings } from "#src/sports/Listings.ts"
import { refusal } from "../translate.ts"

export const slugKey = ({ slug }: { readonly slug: string }): EventKey => ({ by: "slug", value: slug })
export const eventKey = ({ event_id }: { readonly event_id: number }): EventKey => ({ by: "event", value: event_id })
export const marketKey = ({ market_id }: { readonly market_id: number }): EventKey => ({
  by: "market",
  value: market_id,
})

/** Looks up the game that a path names. */
export const findGame = Effect.map(Listings, (listings) => (key: EventKey) => Effect.catch(listings.game(key), refusal))
