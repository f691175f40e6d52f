const longest = 1024

/** Everything that cannot be seen, except what parts lines and words. */
const invisible = /(?![\n\t])[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/gu

/** The beginning of an answer as text that can be stored and shown; a character that is cut in two is left out. */
export const excerptOf = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8").decode(bytes.subarray(0, longest), { stream: true }).replaceAll(invisible, "")
