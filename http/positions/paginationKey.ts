import type { PositionCursor } from "#src/positions/OnchainPositionStore.ts"
import { parameter } from "../input/parameter.ts"
import { BadInput } from "../server/errors.ts"

const maxId = 2_147_483_647

export const paginationKeyOf = ({ token, wallet }: PositionCursor): string =>
  Buffer.from(`${token}.${wallet}`).toString("base64url")

/** A key is accepted only in the exact form in which it was issued. */
export const PaginationKey = parameter((key): PositionCursor | BadInput => {
  const [, token, wallet] = /^(\d{1,10})\.(\d{1,10})$/.exec(Buffer.from(key, "base64url").toString("latin1")) ?? []
  const position = { token: Number(token), wallet: Number(wallet) }
  if (position.token <= maxId && position.wallet <= maxId && paginationKeyOf(position) === key) return position
  return new BadInput({
    error: 'Parameter "pagination_key": expected the unchanged `pagination_key` of an earlier page.',
    param: "pagination_key",
    hint: "Omit it to start with the first page.",
  })
})
