const zeros = Array.from({ length: 65 }, (_, count) => "0".repeat(count))

/** One 32-byte word, without prefix. */
export const word = (value: number): string => {
  const digits = value.toString(16)
  return (zeros[64 - digits.length] as string) + digits
}
export const paddedAddress = (hexAddress: string) => `000000000000000000000000${hexAddress.slice(2)}`
export const prefixed = (hexWord: string) => `0x${hexWord}`

const topicCache = new Map<string, string>()

/** Cached: a few thousand addresses make up most topics. */
export const addressTopic = (hexAddress: string): string => {
  let found = topicCache.get(hexAddress)
  if (found === undefined) {
    found = Buffer.from(prefixed(paddedAddress(hexAddress))).toString("latin1")
    topicCache.set(hexAddress, found)
  }
  return found
}
export const zeroWord = word(0)

/** An ABI array: its length, then its elements. */
export const arrayWords = (values: ReadonlyArray<number>) => word(values.length) + values.map(word).join("")

/** An ABI string: its length in bytes, then the bytes padded to whole words. */
export const textWords = (text: string): string => {
  const hex = Buffer.from(text).toString("hex")
  return word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")
}
