/** One 32-byte word, without prefix. */
export const word = (value: number) => value.toString(16).padStart(64, "0")
export const padded = (hexAddress: string) => `000000000000000000000000${hexAddress.slice(2)}`
export const asTopic = (hexWord: string) => `0x${hexWord}`
export const addressTopic = (hexAddress: string) => asTopic(padded(hexAddress))
export const zeroWord = word(0)

/** An array as ABI data has it: its length, then its elements. */
export const arrayWords = (values: ReadonlyArray<number>) => word(values.length) + values.map(word).join("")

/** A text as ABI data has it: its length in bytes, then those filled up to whole words. */
export const textWords = (text: string): string => {
  const hex = Buffer.from(text).toString("hex")
  return word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")
}
