import { Metric } from "effect"

const rowsMoved = (board: string) =>
  Metric.counter("presage_leaderboards_rows_total", {
    description: "Rows of leaderboards that were counted up or down",
    incremental: true,
    attributes: { board },
  })

export const movedRows = (board: "rolling" | "standing", rows: number) => Metric.update(rowsMoved(board), rows)

const secondsOf = (kind: "refresh" | "rebuild") =>
  Metric.histogram("presage_leaderboards_seconds", {
    description: "Time in which all leaderboards were brought up to date or built anew",
    boundaries: Metric.exponentialBoundaries({ start: 0.005, factor: 2, count: 16 }),
    attributes: { kind },
  })

export const refreshSeconds = secondsOf("refresh")
export const rebuildSeconds = secondsOf("rebuild")

export const age = Metric.gauge("presage_leaderboards_age_seconds", {
  description: "Time since the newest block that is counted on leaderboards",
})
