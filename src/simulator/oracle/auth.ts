import { createHash, createHmac } from "node:crypto"
import { json, type WireRequest, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"

export interface Credentials {
  readonly clientId: string
  readonly secret: string
}

const toleranceMillis = 5_000

const unauthorized = (message: string): WireResponse => json({ error: "unauthorized", message }, 401)

/** Clients sign the whole path, or what they append to an address that ends in the simulator's prefix. */
const signedTargets = ({ target, path }: WireRequest): ReadonlyArray<string> => {
  const [sent = ""] = target.split("?")
  return sent.endsWith(path) ? [target, target.slice(sent.length - path.length)] : [target]
}

const isSigned = (request: WireRequest, { clientId, secret }: Credentials, timestamp: string, signature: string) => {
  const bodyHash = createHash("sha256").update(request.body).digest("hex")
  return signedTargets(request).some((target) => {
    const text = `${request.method} ${target} ${bodyHash} ${clientId} ${timestamp}`
    return createHmac("sha256", secret).update(text).digest("hex") === signature
  })
}

/** What a request that is not properly signed is answered; undefined for one that is. */
export const refusal = (request: WireRequest, credentials: Credentials, now: Millis): WireResponse | undefined => {
  const { headers } = request
  const timestamp = headers["x-authorization-timestamp"]
  const signature = headers["x-authorization-signature-sha256"]
  if (headers["authorization"] === undefined || timestamp === undefined || signature === undefined) {
    return unauthorized("missing authorization headers")
  }
  if (headers["authorization"] !== credentials.clientId) return unauthorized("unknown client")
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > toleranceMillis) {
    return unauthorized("timestamp is too far from the server's time")
  }
  if (!isSigned(request, credentials, timestamp, signature)) return unauthorized("signature does not match")
  return undefined
}
