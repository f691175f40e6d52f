import "uplot/dist/uPlot.min.css"
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { isDark } from "../theme.ts"

export interface Line {
  readonly label: string
  readonly values: ReadonlyArray<number | null>
  readonly colour?: "primary" | "up" | "down" | "caution"
  /** `steps` holds a value to the right of its point, `stepsBefore` to the left. */
  readonly kind?: "line" | "area" | "bars" | "steps" | "stepsBefore"
}

const variables = { primary: "--pico-primary", up: "--up", down: "--down", caution: "--caution" } as const

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Colours are resolved here, because CSS does not reach a canvas. */
const axisOf = () => ({
  stroke: colourOf("--pico-muted-color"),
  grid: { stroke: colourOf("--line"), width: 1 },
  ticks: { stroke: colourOf("--line"), width: 1 },
})

const bars = uPlot.paths.bars?.({ size: [0.8, 60] })
const steps = uPlot.paths.stepped?.({ align: 1 })
const stepsBefore = uPlot.paths.stepped?.({ align: -1 })

const seriesOf = (
  { label, colour = "primary", kind = "line" }: Line,
  format: (value: number) => string,
): uPlot.Series => {
  const stroke = colourOf(variables[colour])
  return {
    label,
    stroke,
    width: 1.5,
    points: { show: false },
    value: (_, value) => (value === null || value === undefined ? "–" : format(value)),
    ...(kind === "area" ? { fill: `${stroke}22` } : {}),
    ...(kind === "bars" && bars !== undefined ? { fill: `${stroke}aa`, paths: bars } : {}),
    ...(kind === "steps" && steps !== undefined ? { fill: `${stroke}22`, paths: steps } : {}),
    ...(kind === "stepsBefore" && stepsBefore !== undefined ? { fill: `${stroke}22`, paths: stepsBefore } : {}),
  }
}

const xSeries = (label: string | undefined, format: ((value: number) => string) | undefined): uPlot.Series => ({
  ...(label === undefined ? {} : { label }),
  ...(format === undefined ? {} : { value: (_, value) => (typeof value === "number" ? format(value) : "–") }),
})

const dataOf = (xs: ReadonlyArray<number>, lines: ReadonlyArray<Line>): uPlot.AlignedData => [
  [...xs],
  ...lines.map(({ values }) => [...values]),
]

/** Lines over time (seconds), or over any number with `isTime={false}`. `summary` describes the chart to screen readers. */
export const Chart = ({
  xs,
  lines,
  summary,
  format = String,
  formatX,
  labelX,
  height = 220,
  isTime = true,
}: {
  readonly xs: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  readonly summary: string
  readonly format?: (value: number) => string
  /** How numbers of the horizontal axis are written; for `isTime={false}`. */
  readonly formatX?: (value: number) => string
  readonly labelX?: string
  readonly height?: number
  readonly isTime?: boolean
}) => {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const dark = isDark.value
  const shape = lines.map(({ label, colour, kind }) => `${label}/${colour}/${kind}`).join("|")

  // `shape` stands for the lines; new values only call setData
  useEffect(() => {
    const parent = element.current
    if (parent === null) return
    const chart = new uPlot(
      {
        width: parent.clientWidth,
        height,
        scales: { x: { time: isTime } },
        axes: [
          formatX === undefined ? axisOf() : { ...axisOf(), values: (_, ticks) => ticks.map(formatX) },
          { ...axisOf(), size: 70, values: (_, ticks) => ticks.map(format) },
        ],
        series: [xSeries(labelX, formatX), ...lines.map((line) => seriesOf(line, format))],
      },
      dataOf(xs, lines),
      parent,
    )
    plot.current = chart
    const observer = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      chart.destroy()
      plot.current = undefined
    }
  }, [dark, shape, height, isTime])

  useEffect(() => {
    plot.current?.setData(dataOf(xs, lines))
  }, [xs, lines])

  return <div ref={element} class="chart" role="img" aria-label={summary} />
}
