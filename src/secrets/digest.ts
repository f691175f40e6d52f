import { createHmac } from "node:crypto"
import { Redacted } from "effect"

export type SecretBytes = Redacted.Redacted<Uint8Array>

const hmac = (pepper: SecretBytes, text: string): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update(text).digest()

/** The only stored form of a key: without the pepper it can neither be reversed nor matched against a list of keys. */
export const digestOfKey = (pepper: SecretBytes, key: string): Buffer => hmac(pepper, key)

/** Peppered too: addresses are few enough to be tried one by one. */
export const digestOfAddress = (pepper: SecretBytes, address: string): Buffer => hmac(pepper, `address ${address}`)

/** Identifies a pair of secrets without revealing them. */
export const fingerprintOf = (pepper: SecretBytes, encryptionKey: SecretBytes): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update("presage secrets ").update(Redacted.value(encryptionKey)).digest()
