import { createHash, createHmac } from "node:crypto"
import { Redacted } from "effect"
import type { Credentials } from "#src/upstream/Endpoints.ts"

const emptyBodyHash = createHash("sha256").update("").digest("hex")

/** The headers that let a request without a body in. They are good for five seconds. */
export const signedHeaders = (
  { id, secret }: Credentials,
  url: string,
  now: number,
): Readonly<Record<string, string>> => {
  const { pathname, search } = new URL(url)
  const text = `GET ${pathname}${search} ${emptyBodyHash} ${id} ${now}`
  return {
    authorization: id,
    "x-authorization-timestamp": String(now),
    "x-authorization-signature-sha256": createHmac("sha256", Redacted.value(secret)).update(text).digest("hex"),
  }
}
