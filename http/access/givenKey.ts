import { bearerOf as bearerIn, type Given, givenKeyIn } from "#src/keys/givenKey.ts"
import { queryKeys } from "../middleware/queryKey.ts"
import { type Asked, Incoming } from "../server/Exchange.ts"

export const bearerOf = ({ headers }: Asked): string | undefined =>
  headers.authorization && bearerIn(headers.authorization)

/** As they came: of headers that are there twice, Node keeps one or joins both. */
const rawHeaders = function* ({ source, headers }: Asked): Iterable<readonly [string, string]> {
  if (!(source instanceof Incoming)) return yield* Object.entries(headers)
  const { rawHeaders: raw } = source
  for (let i = 0; i + 1 < raw.length; i += 2) yield [String(raw[i]).toLowerCase(), String(raw[i + 1])]
}

export const givenKey = (request: Asked): Given => givenKeyIn(rawHeaders(request), queryKeys(request))
