import { createHash } from "node:crypto"
import type { Received } from "./receiver.ts"

type Signed = Pick<Received, "headers" | "body">

const sha256 = (...parts: ReadonlyArray<Uint8Array>) => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 2104 from the hash alone, to share no code with the signer. */
const hmac = (key: Buffer, ...message: ReadonlyArray<Uint8Array>) => {
  const block = Buffer.alloc(64)
  ;(key.length > 64 ? sha256(key) : key).copy(block)
  const padded = (byte: number) => block.map((each) => each ^ byte)
  return sha256(padded(0x5c), sha256(padded(0x36), ...message))
}

export const headerOf = ({ headers }: Signed, name: string): string => String(headers[name] ?? "")

const isBy = (signed: Signed, header: string, secret: string) => {
  const time = headerOf(signed, "x-webhook-timestamp")
  const digest = hmac(Buffer.from(secret), Buffer.from(`${time}.`), signed.body)
  return headerOf(signed, header) === `sha256=${digest.toString("hex")}`
}

/** Whether the main signature is valid for this secret. */
export const isSignedBy = (signed: Signed, secret: string) => isBy(signed, "x-webhook-signature", secret)

/** Whether the signature of the previous secret is valid for this one. */
export const isAlsoSignedBy = (signed: Signed, secret: string) => isBy(signed, "x-webhook-signature-previous", secret)

/** Whether a Standard Webhooks library with this secret would accept it. */
export const isStandardSignedBy = (signed: Signed, secret: string) => {
  const [id, time] = [headerOf(signed, "webhook-id"), headerOf(signed, "webhook-timestamp")]
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const digest = hmac(key, Buffer.from(`${id}.${time}.`), signed.body)
  return headerOf(signed, "webhook-signature")
    .split(" ")
    .includes(`v1,${digest.toString("base64")}`)
}
