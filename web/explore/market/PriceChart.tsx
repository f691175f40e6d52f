import { cents, compactUsd, whole } from "../../shared/format.ts"
import { withQuery } from "../../shared/request.ts"
import { Chart } from "../../shared/ui/Chart.tsx"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Empty, Show } from "../../shared/ui/States.tsx"
import { useQueryState } from "../../shared/useQueryState.ts"
import { useRequest } from "../../shared/useRequest.ts"
import { Choice } from "../Choice.tsx"

interface Candles {
  readonly candles: ReadonlyArray<{ readonly time: number; readonly close: number; readonly volume: number }>
  readonly pagination: { readonly older_end_ts: number | null }
}

const ranges = {
  "1h": { label: "1 h", resolution: "15s", limit: 240 },
  "6h": { label: "6 h", resolution: "1m", limit: 360 },
  "1d": { label: "1 d", resolution: "5m", limit: 288 },
  "1w": { label: "1 w", resolution: "30m", limit: 336 },
  "1m": { label: "1 m", resolution: "4h", limit: 180 },
  all: { label: "All", resolution: "1d", limit: 1000 },
} as const
type Range = keyof typeof ranges
const isRange = (text: string): text is Range => text in ranges

/** A span that has most of the newest trades, of which `since` is the oldest. */
const fitting = (since: number | undefined): Range => {
  const hours = since === undefined ? 24 : (Date.now() / 1000 - since) / 3600
  return hours < 1 ? "1h" : hours < 6 ? "6h" : hours < 24 ? "1d" : hours < 168 ? "1w" : "1m"
}

const options = Object.entries(ranges).map(([value, { label }]) => [value, label] as const)

/** The newest candles; if the market was not traded in that time, those of its last trades. */
const useCandles = (token: string, range: Range) => {
  const { resolution, limit } = ranges[range]
  const base = `/v2/onchain/candles/${token}`
  const newestPath = withQuery(base, { resolution, limit })
  const newest = useRequest<Candles>(newestPath, { everyMillis: 15_000 })
  const anchor = newest.data?.candles.length === 0 ? newest.data.pagination.older_end_ts : null
  const olderPath = anchor === null ? undefined : withQuery(base, { resolution, limit, anchor_ts: anchor })
  const older = useRequest<Candles>(olderPath)
  return olderPath === undefined ? { path: newestPath, loaded: newest } : { path: olderPath, loaded: older }
}

const Charts = ({ candles, outcome }: { readonly candles: Candles["candles"]; readonly outcome: string }) => {
  const xs = candles.map(({ time }) => time)
  const [first, last] = [candles[0]?.close, candles.at(-1)?.close]
  return (
    <>
      <Chart
        xs={xs}
        lines={[
          { label: outcome, values: candles.map(({ close }) => close), kind: candles.length < 3 ? "line" : "area" },
        ]}
        format={cents}
        hasRoom
        summary={`Price of ${outcome} over ${whole(candles.length)} candles: from ${cents(first)} to ${cents(last)}`}
      />
      <Chart
        xs={xs}
        lines={[{ label: "Volume", values: candles.map(({ volume }) => volume), kind: "bars" }]}
        format={compactUsd}
        hasRoom
        height={130}
        summary={`Volume of ${outcome}: ${compactUsd(candles.reduce((sum, { volume }) => sum + volume, 0))}`}
      />
    </>
  )
}

export const PriceChart = ({
  token,
  outcome,
  since,
}: {
  readonly token: string
  readonly outcome: string
  /** Unix seconds of the oldest of the newest trades. */
  readonly since: number | undefined
}) => {
  const [query, setQuery] = useQueryState()
  const given = query["range"] ?? fitting(since)
  const range = isRange(given) ? given : "1d"
  const { path, loaded } = useCandles(token, range)
  return (
    <article aria-labelledby="price-title">
      <div class="spread">
        <h2 id="price-title">Price of {outcome}</h2>
        <Choice label="Time span" value={range} options={options} onChange={(value) => setQuery({ range: value })} />
      </div>
      <Show loaded={loaded}>
        {({ candles }) =>
          candles.length === 0 ? (
            <Empty>Nobody has traded this outcome yet.</Empty>
          ) : (
            <Charts candles={candles} outcome={outcome} />
          )
        }
      </Show>
      <RequestLine path={path} />
    </article>
  )
}
