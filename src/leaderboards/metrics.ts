import { Metric } from "effect"

const rowsMoved = (board: string) =>
  Metric.counter("presage_leaderboards_rows_total", {
    description: "Leaderboard rows changed",
    incremental: true,
    attributes: { board },
  })

export const movedRows = (board: "rolling" | "standing", rows: number) => Metric.update(rowsMoved(board), rows)

const secondsOf = (kind: "refresh" | "rebuild") =>
  Metric.histogram("presage_leaderboards_seconds", {
    description: "Duration of a refresh or rebuild of all leaderboards",
    boundaries: Metric.exponentialBoundaries({ start: 0.005, factor: 2, count: 16 }),
    attributes: { kind },
  })

export const refreshSeconds = secondsOf("refresh")
export const rebuildSeconds = secondsOf("rebuild")

export const age = Metric.gauge("presage_leaderboards_age_seconds", {
  description: "Age of the newest block counted on leaderboards",
})
