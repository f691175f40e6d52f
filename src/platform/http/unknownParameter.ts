import { closest } from "../text/spelling.ts"

/** The complaint about the first query parameter that is not in the list. */
export const unknownParameter = (
  given: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): { readonly error: string; readonly param: string } | undefined => {
  for (const name in given) {
    if (known.has(name)) continue
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
    const near = closest(name, known)
    const hint =
      near !== undefined
        ? `Did you mean "${near}"?`
        : known.size === 0
          ? "This endpoint takes no query parameters."
          : `Known parameters: ${[...known].join(", ")}.`
    return { error: `Unknown parameter "${shown}". ${hint}`, param: shown }
  }
  return undefined
}
