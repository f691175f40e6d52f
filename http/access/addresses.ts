import { Effect } from "effect"
import { makeAskingAddress } from "#src/platform/http/askingAddress.ts"
import { type Asked, Incoming } from "../server/Exchange.ts"

/** Who is asking, by address. */
export const addresses = Effect.map(
  makeAskingAddress,
  (addressOf) =>
    ({ source, headers }: Asked): string =>
      addressOf(source instanceof Incoming ? source.socket.remoteAddress : undefined, headers["x-forwarded-for"]),
)
