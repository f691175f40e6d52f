import { unprintable } from "#src/platform/text/controlCharacters.ts"

export const maxQueryLength = 500

const invisible = new RegExp(unprintable.source, "gu")

/** The same for queries that differ only in spaces, invisible characters and the composition of letters. */
export const normalizedQuery = (text: string): string =>
  text.normalize("NFC").replace(/\s+/g, " ").replace(invisible, "").replace(/ +/g, " ").trim()

/**
 * SearXNG takes words that begin with these for its own commands: other engines, another language, a redirection to
 * another site. Empty if nothing is left.
 */
export const withoutCommands = (query: string): string =>
  query
    .replace(/(^| )[!?:<]+/g, "$1")
    .replace(/ +/g, " ")
    .trim()
