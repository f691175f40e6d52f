type Cell = string | number | boolean | null | undefined | object

const textOf = (value: Cell): string => {
  if (value === null || value === undefined) return ""
  if (typeof value !== "object") return String(value)
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.some((each) => typeof each === "object") ? JSON.stringify(value) : value.join(" ")
}

/**
 * As RFC 4180 says: quoted where a cell has a comma, a quote or a line break. Lists of names are separated by spaces, objects
 * and lists of them are JSON.
 */
const cellOf = (value: Cell): string => {
  const text = textOf(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Rows with a header; columns that a row lacks are empty. */
export const csvOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Readonly<Record<string, Cell>>>): string =>
  [columns.join(","), ...rows.map((row) => columns.map((name) => cellOf(row[name])).join(",")), ""].join("\r\n")
