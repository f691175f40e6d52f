export interface Figure {
  readonly name: string
  readonly value: number
}

/** A minimum ratio, or a minimum or maximum value. */
export type Goal = { readonly share: number } | { readonly least: number } | { readonly most: number }

/** One measurement: ours, an alternative, and the limit of the machine. */
export interface Line {
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly alternative?: Figure
  readonly limit?: Figure
  /** Ratio of ours to one of the two, as the median over the rounds. */
  readonly ratio?: { readonly to: string; readonly value: number }
  readonly goal?: Goal
}

export interface Report {
  readonly lines: ReadonlyArray<Line>
  readonly notes: ReadonlyArray<string>
  /** Raw results of every round. */
  readonly rounds: unknown
}

/** Undefined without a goal. */
export const isReached = ({ goal, ours, ratio }: Line): boolean | undefined => {
  if (goal === undefined) return undefined
  if ("share" in goal) return (ratio?.value ?? 0) >= goal.share
  return "least" in goal ? ours >= goal.least : ours <= goal.most
}

const number = (value: number) =>
  value.toLocaleString("en", value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 })

const figure = (each: Figure | undefined) => (each === undefined ? "" : `${each.name} ${number(each.value)}`)

const goalText = (goal: Goal | undefined) => {
  if (goal === undefined) return ""
  if ("share" in goal) return `≥ ${goal.share}`
  return "least" in goal ? `≥ ${number(goal.least)}` : `≤ ${number(goal.most)}`
}

const header = ["measured", "unit", "ours", "alternative", "raw limit", "ratio", "goal", "reached"]

const cells = (line: Line): ReadonlyArray<string> => {
  const reached = isReached(line)
  return [
    line.what,
    line.unit,
    number(line.ours),
    figure(line.alternative),
    figure(line.limit),
    line.ratio === undefined ? "" : `${line.ratio.value.toFixed(2)} of ${line.ratio.to}`,
    goalText(line.goal),
    reached === undefined ? "" : reached ? "yes" : "no",
  ]
}

export const renderReport = (name: string, { lines, notes }: Report): string => {
  const table = [header, ...lines.map(cells)]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const rendered = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  rendered.splice(1, 0, widths.map((width) => "─".repeat(width)).join("  "))
  return [`\n${name}`, ...rendered, ...notes.map((note) => `· ${note}`), ""].join("\n")
}
