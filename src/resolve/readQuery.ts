import type { Hex } from "viem"
import { unprintable } from "#src/platform/text/controlCharacters.ts"
import type { Query } from "./model.ts"

export const maxNameLength = 64

/** The venue shows users without a name as their address and a time. */
const address = /^(0x[0-9a-f]{40})(-\d+)?$/i
/** Names may begin with 0x, but none is that long. */
const brokenAddress = /^(0x)?[0-9a-f]{36,}$/i

/** Reads an address, or the name of a user with or without @; otherwise says what is wrong with it. */
export const readQuery = (text: string): Query | string => {
  const found = address.exec(text)?.[1]
  if (found !== undefined) return { address: found.toLowerCase() as Hex }
  if (brokenAddress.test(text)) return "expected an address of 0x and 40 hexadecimal digits, or a user name"
  const name = text.replace(/^@/, "")
  if (unprintable.test(name) || !/[\p{L}\p{N}]/u.test(name)) {
    return "expected an address of 0x and 40 hexadecimal digits, or a user name of visible characters"
  }
  if (name.length > maxNameLength) return `expected a user name of at most ${maxNameLength} characters`
  return { name }
}

/** Names are case-sensitive here, because an exact match comes first. */
export const queryKey = (query: Query): string => ("address" in query ? query.address : `@${query.name}`)
