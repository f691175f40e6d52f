import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { EventKey } from "#src/sports/EventStore.ts"
import { Listings } from "#src/sports/Listings.ts"
import { gatewayAddress } from "../../server/gatewayAddress.ts"
import { refusal } from "../translate.ts"

export const slugKey = ({ slug }: { readonly slug: string }): EventKey => ({ by: "slug", value: slug })
export const eventKey = ({ event_id }: { readonly event_id: number }): EventKey => ({ by: "event", value: event_id })
export const marketKey = ({ market_id }: { readonly market_id: number }): EventKey => ({
  by: "market",
  value: market_id,
})

/** Looks up the game that a path names. */
export const findGame = Effect.map(Listings, (listings) => (key: EventKey) => Effect.catch(listings.game(key), refusal))

/** The address of the streams, and the time: what an answer says beside the game. */
export const edgeNow = Effect.map(gatewayAddress, (gateway) =>
  Effect.all({ ws: Effect.map(gateway, String), now: Clock.currentTimeMillis }),
)

export const dated = (body: object, ageMillis: number) =>
  HttpServerResponse.jsonUnsafe(body, { headers: { "x-data-age-ms": String(ageMillis) } })
