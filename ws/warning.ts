const mostNamed = 100

/** For an acknowledgement: something that was asked for and cannot be, or not yet; the rest is done. */
export const warning = (code: string, what: string, items: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (items.length === 0) return []
  const rest = items.length - mostNamed
  return [`${code}: ${what} ${items.slice(0, mostNamed).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`]
}
