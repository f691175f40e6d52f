import { createHmac } from "node:crypto"
import { Redacted } from "effect"

export type SecretBytes = Redacted.Redacted<Uint8Array>

const hmac = (pepper: SecretBytes, text: string): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update(text).digest()

/** All that is stored of a key: without the pepper it can neither be undone nor be tried against a list of keys. */
export const digestOfKey = (pepper: SecretBytes, key: string): Buffer => hmac(pepper, key)

/** Addresses are few enough to be tried one by one, so they are hidden the same way. */
export const digestOfAddress = (pepper: SecretBytes, address: string): Buffer => hmac(pepper, `address ${address}`)

/** Tells one pair of secrets from another, and nothing about them. */
export const fingerprintOf = (pepper: SecretBytes, encryptionKey: SecretBytes): Buffer =>
  createHmac("sha256", Redacted.value(pepper)).update("presage secrets ").update(Redacted.value(encryptionKey)).digest()
