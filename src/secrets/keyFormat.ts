import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 30
const checksumLength = 6
const tail = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** Prefix of every key. */
export const prefix = "psg_live_"

/** Bytes from here on are skipped: they would make the first letters of the alphabet more likely. */
const unbiased = 256 - (256 % alphabet.length)

const lettersOf = (bytes: Uint8Array): string => {
  let letters = ""
  for (const byte of bytes) if (byte < unbiased) letters += alphabet[byte % alphabet.length]
  return letters.slice(0, randomLength)
}

/** Detects a mistyped key without a lookup. Not a secret. */
const checksum = (text: string): string => {
  let digits = ""
  for (
    let remainder = crc32(text);
    digits.length < checksumLength;
    remainder = Math.floor(remainder / alphabet.length)
  ) {
    digits = alphabet[remainder % alphabet.length] + digits
  }
  return digits
}

/** About eight of 256 bytes are skipped, so at least 30 always remain. */
const enoughBytes = 256

/** A key with 178 random bits from the bytes of `source`. */
export const generate = (source: (count: number) => Uint8Array = randomBytes): string => {
  const body = prefix + lettersOf(source(enoughBytes))
  return body + checksum(body)
}

/** Whether the text has the prefix, length and checksum of a key. */
export const isWellFormed = (text: string): boolean => {
  if (text.length !== prefix.length + randomLength + checksumLength || !text.startsWith(prefix)) return false
  return tail.test(text.slice(prefix.length)) && text.endsWith(checksum(text.slice(0, -checksumLength)))
}

const legacyTail = /^[0-9A-Za-z]{16,64}$/

/** Whether the text has the form of another service's key, which has no checksum. */
export const isLegacy = (text: string, legacyPrefix: string): boolean =>
  legacyPrefix !== "" && text.startsWith(legacyPrefix) && legacyTail.test(text.slice(legacyPrefix.length))

/** Enough to recognise a key, too little to use it. */
export const shown = (key: string): string => `${key.slice(0, 12)}…${key.slice(-4)}`
