const zeros = Array.from({ length: 65 }, (_, count) => "0".repeat(count))

/** One 32-byte word, without prefix. */
export const word = (value: number): string => {
  const digits = value.toString(16)
  return (zeros[64 - digits.length] as string) + digits
}
export const padded = (hexAddress: string) => `000000000000000000000000${hexAddress.slice(2)}`
export const asTopic = (hexWord: string) => `0x${hexWord}`

const known = new Map<string, string>()

/** The same few thousand addresses come again and again. */
export const addressTopic = (hexAddress: string): string => {
  let found = known.get(hexAddress)
  if (found === undefined) {
    found = Buffer.from(asTopic(padded(hexAddress))).toString("latin1")
    known.set(hexAddress, found)
  }
  return found
}
export const zeroWord = word(0)

/** An array as ABI data has it: its length, then its elements. */
export const arrayWords = (values: ReadonlyArray<number>) => word(values.length) + values.map(word).join("")

/** A text as ABI data has it: its length in bytes, then those filled up to whole words. */
export const textWords = (text: string): string => {
  const hex = Buffer.from(text).toString("hex")
  return word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")
}
