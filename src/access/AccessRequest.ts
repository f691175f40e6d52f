import { Redacted } from "effect"

/** The part of a request that decides on access, the same for HTTP and WebSocket upgrades. */
export interface AccessRequest {
  /** Names and values in turn, as received: a repeated header appears once per occurrence. */
  readonly rawHeaders: ReadonlyArray<string>
  /** Keys sent as `?key=`. */
  readonly queryKeys: ReadonlyArray<Redacted.Redacted<string>>
  /** Address of the other end of the socket. */
  readonly peer: string | undefined
  /** `performance.now()` on arrival. */
  readonly startedAt: number
}

/** The key of a request, or why there is not exactly one. */
export type GivenKey =
  | { readonly _tag: "One"; readonly key: Redacted.Redacted<string> }
  | { readonly _tag: "None" }
  | { readonly _tag: "Several" }

const none: GivenKey = { _tag: "None" }
const several: GivenKey = { _tag: "Several" }

const bearer = /^bearer +(\S.*)$/i

export const bearerOf = (authorization: string): string | undefined => bearer.exec(authorization)?.[1]?.trim()

const protocol = "presage"
const protocolPrefix = "presage-key."

const protocolsIn = (offered: string) => offered.split(",").map((each) => each.trim())
const isKey = (each: string) => each.toLowerCase().startsWith(protocolPrefix)

/** A browser cannot set headers of a WebSocket, but it can offer `presage-key.<key>` beside the protocol `presage`. */
const offeredKeys = (offered: string): ReadonlyArray<string> =>
  protocolsIn(offered)
    .filter(isKey)
    .map((each) => each.slice(protocolPrefix.length))

/** The protocol that a WebSocket uses: ours, else the first one offered that is not a key, as older clients expect. */
export const protocolOf = (offered: string): string => {
  const protocols = protocolsIn(offered).filter((each) => !isKey(each))
  return protocols.includes(protocol) ? protocol : (protocols[0] ?? "")
}

/** Reads `x-api-key`, `Authorization: Bearer`, `?key=` and the protocols offered for a WebSocket. The same key in several places counts as one. */
export const givenKeyOf = ({ rawHeaders, queryKeys }: AccessRequest): GivenKey => {
  const given = new Set<string>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = String(rawHeaders[i]).toLowerCase()
    if (name === "x-api-key") given.add(String(rawHeaders[i + 1]).trim())
    else if (name === "sec-websocket-protocol") for (const key of offeredKeys(String(rawHeaders[i + 1]))) given.add(key)
    else if (name === "authorization") given.add(bearerOf(String(rawHeaders[i + 1])) ?? "")
  }
  for (const key of queryKeys) given.add(Redacted.value(key))
  given.delete("")
  const [first] = given
  if (first === undefined) return none
  return given.size === 1 ? { _tag: "One", key: Redacted.make(first) } : several
}

/** Repeated headers are joined as Node joins them. */
export const forwardedFor = ({ rawHeaders }: AccessRequest): string | undefined => {
  const hops: Array<string> = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (String(rawHeaders[i]).toLowerCase() === "x-forwarded-for") hops.push(String(rawHeaders[i + 1]))
  }
  return hops.length === 0 ? undefined : hops.join(", ")
}
