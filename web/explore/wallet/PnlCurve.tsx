import { compactUsd, usd, whole } from "../../shared/format.ts"
import { withQuery } from "../../shared/request.ts"
import { Chart } from "../../shared/ui/Chart.tsx"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Empty, Show } from "../../shared/ui/States.tsx"
import { useQueryState } from "../../shared/useQueryState.ts"
import { useRequest } from "../../shared/useRequest.ts"
import { Choice } from "../Choice.tsx"

interface Buckets {
  readonly buckets: ReadonlyArray<{ readonly bucket: number; readonly cumulative_pnl: number }>
  readonly total_realized_pnl: number
}

const periods = {
  "1d": { label: "1 d", group: "hour" },
  "7d": { label: "7 d", group: "hour" },
  "30d": { label: "30 d", group: "day" },
  "1y": { label: "1 y", group: "day" },
  all: { label: "All", group: "day" },
} as const
type Period = keyof typeof periods
const isPeriod = (text: string): text is Period => text in periods
const options = Object.entries(periods).map(([value, { label }]) => [value, label] as const)

/** What the wallet had realized by each hour or day of a period. */
export const PnlCurve = ({ wallet }: { readonly wallet: string }) => {
  const [query, setQuery] = useQueryState()
  const given = query["period"] ?? "all"
  const period = isPeriod(given) ? given : "all"
  const path = withQuery(`/v3/wallets/${wallet}/pnl/events`, { group: periods[period].group, period })
  const loaded = useRequest<Buckets>(path)
  return (
    <article aria-labelledby="pnl-title">
      <div class="spread">
        <h2 id="pnl-title">Realized P&L</h2>
        <Choice label="Period" value={period} options={options} onChange={(value) => setQuery({ period: value })} />
      </div>
      <Show loaded={loaded}>
        {({ buckets, total_realized_pnl: total }) =>
          buckets.length === 0 ? (
            <Empty>Nothing was realized in this period.</Empty>
          ) : (
            <Chart
              xs={buckets.map(({ bucket }) => bucket)}
              lines={[
                {
                  label: "Realized P&L",
                  values: buckets.map(({ cumulative_pnl }) => cumulative_pnl),
                  kind: "area",
                  colour: total < 0 ? "down" : "up",
                },
              ]}
              format={compactUsd}
              summary={`Realized P&L over ${whole(buckets.length)} ${periods[period].group}s: ${usd(total)} in the end`}
            />
          )
        }
      </Show>
      <RequestLine path={path} />
    </article>
  )
}
