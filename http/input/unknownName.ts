import type { UnknownName } from "#src/catalogue/NameStore.ts"

/** What is wrong with a name that does not exist, and which one was probably meant. */
export const explainUnknown = ({ message, nearest }: UnknownName): string =>
  nearest === undefined ? message : `${message} Did you mean "${nearest}"?`

/** The suggestion alone; empty if no known name is similar. */
export const suggestionFor = ({ nearest }: UnknownName): string =>
  nearest === undefined ? "" : `Did you mean "${nearest}"? `
