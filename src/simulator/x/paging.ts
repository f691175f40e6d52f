import { hash, seedOf } from "../random.ts"
import { invalidValue } from "./problems.ts"

/** Where a list goes on: at a slot, after so many posts. */
export interface Place {
  readonly slot: number
  readonly seen: number
}

const seed = seedOf(0, "paging tokens")
const pattern = /^([0-9a-z]{1,9})x([0-9a-f]{4,12})y([0-9a-z]{1,7})$/

const sealOf = ({ slot, seen }: Place) => hash(seed, slot, seen).toString(16).padStart(8, "0")

export const tokenOf = (place: Place): string =>
  `${place.slot.toString(36)}x${sealOf(place)}y${place.seen.toString(36)}`

/** Only tokens that were given out are taken. */
export const placeOf = (name: string, token: string): Place => {
  const [, slot = "", seal, seen = ""] = pattern.exec(token) ?? []
  const place = { slot: Number.parseInt(slot, 36), seen: Number.parseInt(seen, 36) }
  if (seal === undefined || seal !== sealOf(place)) throw invalidValue(name, token, "is not a valid pagination token")
  return place
}
