type Cell = string | number | boolean | null | undefined | ReadonlyArray<string | number>

/** As RFC 4180 says: quoted where a cell has a comma, a quote or a line break. Lists are separated by spaces. */
const cellOf = (value: Cell): string => {
  const text = value === null || value === undefined ? "" : Array.isArray(value) ? value.join(" ") : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Rows with a header; columns that a row lacks are empty. */
export const csvOf = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Readonly<Record<string, Cell>>>): string =>
  [columns.join(","), ...rows.map((row) => columns.map((name) => cellOf(row[name])).join(",")), ""].join("\r\n")
