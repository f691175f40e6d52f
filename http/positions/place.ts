import { Effect } from "effect"
import type { PositionPlace } from "#src/positions/OnchainPositionStore.ts"
import { BadInput } from "../errors.ts"

const greatest = 2_147_483_647

export const keyOf = ({ token, wallet }: PositionPlace): string =>
  Buffer.from(`${token}.${wallet}`).toString("base64url")

const wrongKey = new BadInput({
  error: 'Parameter "pagination_key": expected the `pagination_key` of an earlier page, as it was.',
  param: "pagination_key",
  hint: "Leave it out to begin with the first page.",
})

/** A key is only taken as it was given out. */
export const placeOf = (key: string): Effect.Effect<PositionPlace, BadInput> => {
  const [, token, wallet] = /^(\d{1,10})\.(\d{1,10})$/.exec(Buffer.from(key, "base64url").toString("latin1")) ?? []
  const place = { token: Number(token), wallet: Number(wallet) }
  const isGood = place.token <= greatest && place.wallet <= greatest && keyOf(place) === key
  return isGood ? Effect.succeed(place) : Effect.fail(wrongKey)
}
