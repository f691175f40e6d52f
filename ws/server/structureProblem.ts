/** Far above what any valid message needs. */
const maxDepth = 16
const maxFields = 1_000

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** The index of the quote that ends the string which begins at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/**
 * Error text for JSON that is too deep or has too many fields. Two megabytes of brackets or of field names take seconds to
 * parse and check, while scanning them takes milliseconds.
 */
export const structureProblem = (text: string): string | undefined => {
  let depth = 0
  let fields = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = endOfString(text, i)
    else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) return `a message has at most ${maxDepth} levels of objects and lists`
    } else if (code === closeBrace || code === closeBracket) depth--
    else if (code === colon && ++fields > maxFields) return `a message has at most ${maxFields} fields`
  }
  return undefined
}
