import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 30
const checksumLength = 6
const tail = new RegExp(`^[0-9A-Za-z]{${randomLength + checksumLength}}$`)

/** How every key of ours begins. */
export const prefix = "psg_live_"

/** Bytes from here on are left out: with them the first letters of the alphabet would be drawn more often. */
const unbiased = 256 - (256 % alphabet.length)

const lettersOf = (bytes: Uint8Array): string => {
  let letters = ""
  for (const byte of bytes) if (byte < unbiased) letters += alphabet[byte % alphabet.length]
  return letters.slice(0, randomLength)
}

/** Lets a mistyped key be told without asking anybody. It is no secret. */
const checksum = (text: string): string => {
  let digits = ""
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / alphabet.length)) {
    digits = alphabet[rest % alphabet.length] + digits
  }
  return digits
}

/** Of 256 bytes, about eight are left out: there is no need to think of what happens with fewer than 30 left. */
const enoughBytes = 256

/** A key with 178 bits of chance, made of the bytes that `source` gives. */
export const generate = (source: (count: number) => Uint8Array = randomBytes): string => {
  const body = prefix + lettersOf(source(enoughBytes))
  return body + checksum(body)
}

/** Whether it could be a key of ours: the beginning, the right length and a checksum that fits. */
export const isWellFormed = (text: string): boolean => {
  if (text.length !== prefix.length + randomLength + checksumLength || !text.startsWith(prefix)) return false
  return tail.test(text.slice(prefix.length)) && text.endsWith(checksum(text.slice(0, -checksumLength)))
}

const legacyTail = /^[0-9A-Za-z]{16,64}$/

/** Whether it could be a key that another service gave out, which knows nothing of our checksum. */
export const isLegacy = (text: string, legacyPrefix: string): boolean =>
  legacyPrefix !== "" && text.startsWith(legacyPrefix) && legacyTail.test(text.slice(legacyPrefix.length))

/** Enough to recognise a key by, too little to use it. */
export const shown = (key: string): string => `${key.slice(0, 12)}…${key.slice(-4)}`
