import { useMemo, useState } from "preact/hooks"
import { bytes, compact } from "../shared/format.ts"
import { Chart } from "../shared/ui/Chart.tsx"
import { Panel } from "./Page.tsx"
import type { MonthlyUsage } from "./Usage.tsx"

const measures = {
  requests: { label: "Requests", format: (value: number) => compact(value) },
  bytes: { label: "Transfer", format: (value: number) => bytes(value) },
}

/** Every day of a month up to today, as YYYY-MM-DD. */
const daysOf = (month: string): ReadonlyArray<string> => {
  const today = new Date().toISOString().slice(0, 10)
  return Array.from({ length: 31 }, (_, i) => `${month}-${String(i + 1).padStart(2, "0")}`).filter(
    (day) => day <= today && new Date(`${day}T00:00:00Z`).toISOString().startsWith(month),
  )
}

/** Requests or transfer of each UTC day, of all groups or one. */
export const UsageChart = ({ usage }: { readonly usage: MonthlyUsage }) => {
  const [measure, setMeasure] = useState<keyof typeof measures>("requests")
  const [family, setFamily] = useState("")
  const { label, format } = measures[measure]
  const { xs, lines } = useMemo(() => {
    const days = daysOf(usage.month)
    const rows = family === "" ? usage.by_day : usage.by_day_and_family.filter((row) => row.family === family)
    const values = new Map(rows.map((row) => [row.day, row[measure]]))
    return {
      // Noon, so that a day has its own date in most zones.
      xs: days.map((day) => Date.parse(`${day}T12:00:00Z`) / 1000),
      lines: [{ label, kind: "bars" as const, values: days.map((day) => values.get(day) ?? 0) }],
    }
  }, [usage, measure, family])
  return (
    <Panel
      title="By day"
      tools={
        <>
          <label class="inline">
            Show
            <select
              value={measure}
              onChange={({ currentTarget }) => setMeasure(currentTarget.value as keyof typeof measures)}
            >
              {Object.entries(measures).map(([name, each]) => (
                <option key={name} value={name}>
                  {each.label}
                </option>
              ))}
            </select>
          </label>
          <label class="inline">
            Group
            <select value={family} onChange={({ currentTarget }) => setFamily(currentTarget.value)}>
              <option value="">All</option>
              {usage.by_family.map((each) => (
                <option key={each.family}>{each.family}</option>
              ))}
            </select>
          </label>
        </>
      }
    >
      <Chart
        xs={xs}
        lines={lines}
        format={format}
        hasRoom
        summary={`${label} of each UTC day of ${usage.month}${family === "" ? "" : `, group ${family}`}`}
      />
    </Panel>
  )
}
