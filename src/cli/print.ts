import { Effect } from "effect"
import { redact } from "#src/platform/text/redact.ts"

/** Prints the output of a command to stdout, without secrets. */
export const print = (text: string) => Effect.sync(() => void process.stdout.write(`${redact(text)}\n`))

/** Prints a remark beside JSON, which must stay alone on stdout. */
export const printAside = (text: string) => Effect.sync(() => void process.stderr.write(`${redact(text)}\n`))

export const printJson = (value: unknown) => print(JSON.stringify(value, null, 2))

/** Prints a new key, which `print` would redact. */
export const printUnredacted = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))

/** Pads every column but the last to its widest cell. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line.map((cell, column) => (column === header.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  "),
    )
    .join("\n")
}
