import type { Outcome } from "./Row.ts"
import { isGood } from "./runRow.ts"

const head = [
  "FAULT",
  "SEED",
  "LOST",
  "TWICE",
  "WRONG",
  "REPEATED",
  "BACK AFTER",
  "PROMISED",
  "ANSWERS WHILE IT LASTED",
]

const lineOf = ({ row, seed, lost, twice, wrong, repeated, back, promised, answers }: Outcome) => [
  row,
  String(seed),
  String(lost),
  String(twice),
  String(wrong.length),
  String(repeated),
  back === undefined ? "never" : `${back.toFixed(1)} s`,
  promised === 0 ? "–" : `${promised} s`,
  answers,
]

/** All figures, and below them what was wrong, in words. */
export const report = (outcomes: ReadonlyArray<Outcome>): string => {
  const lines = [head, ...outcomes.map(lineOf)]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const table = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  const bad = outcomes.filter((outcome) => !isGood(outcome))
  const words = bad.flatMap(({ row, seed, wrong }) => [`\n${row}, seed ${seed}`, ...wrong.map((each) => `  ${each}`)])
  return [...table, ...words].join("\n")
}
