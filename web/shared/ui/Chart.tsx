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

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" })
const minute = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" })
const second = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/** Pixels of a time with seconds, so that the times of an axis neither overlap nor are cut off at its end. */
const timeWidth = 88

/** Times of an axis in the viewer's zone; a new day has its date below. */
const axisTimes: uPlot.Axis.DynamicValues = (_, splits, __, ___, step) => {
  let shown = ""
  return splits.map((at) => {
    const date = new Date(at * 1000)
    const today = day.format(date)
    if (step >= 86_400) return today
    const time = (step >= 60 ? minute : second).format(date)
    const isNew = today !== shown
    shown = today
    return isNew ? `${time}\n${today}` : time
  })
}

/** The time under the cursor in the viewer's zone and in UTC. */
const bothTimes = (at: number) => `${moment.format(at * 1000)} (${new Date(at * 1000).toISOString().slice(11, 16)} UTC)`

const xSeries = (label: string | undefined, format: (value: number) => string): uPlot.Series => ({
  ...(label === undefined ? {} : { label }),
  value: (_, value) => (typeof value === "number" ? format(value) : "–"),
})

/** Half a step more on both sides, so that the first and the last bar are whole. */
const withRoom: uPlot.Range.Function = (plot, min, max) => {
  const count = plot.data[0].length
  const room = count < 2 ? 43_200 : (max - min) / (count - 1) / 2
  return [min - room, max + room]
}

/** As uPlot does by itself, but nothing but zeros is one unit high instead of a hundred. */
const heights: uPlot.Range.Function = (_, min, max) =>
  min === null || max === null || (min === 0 && max === 0) ? [0, 1] : uPlot.rangeNum(min, max, 0.1, true)

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
  hasRoom = false,
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
  /** For bars, and for lines above bars. */
  readonly hasRoom?: boolean
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
        scales: { x: { time: isTime, ...(hasRoom ? { range: withRoom } : {}) }, y: { range: heights } },
        padding: [null, timeWidth / 2, null, null],
        axes: [
          {
            ...axisOf(),
            space: timeWidth,
            values: formatX === undefined ? axisTimes : (_, ticks) => ticks.map(formatX),
          },
          { ...axisOf(), size: 70, values: (_, ticks) => ticks.map(format) },
        ],
        series: [xSeries(labelX, formatX ?? bothTimes), ...lines.map((line) => seriesOf(line, format))],
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
