import { duration, whole } from "../shared/format.ts"
import { Show } from "../shared/ui/States.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useRequest } from "../shared/useRequest.ts"
import { Panel } from "./Page.tsx"

interface Limit {
  readonly name: string
  readonly period: "minute" | "day" | "month" | "at_once"
  readonly used: number
  readonly limit: number | null
  readonly reset_at: number | null
}

interface AccountLimits {
  readonly plan: string
  readonly limits: ReadonlyArray<Limit>
  readonly streams: {
    readonly snapshot_count: number
    readonly since_seconds: number
    readonly session_seconds_per_day: number | null
  }
}

const labelOf = ({ name, period }: Limit) => {
  const words = name.replaceAll("_", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${period === "at_once" ? "" : ` per ${period}`}`
}

const Gauge = ({ limit }: { readonly limit: Limit }) => (
  <li>
    <div class="spread">
      <span>{labelOf(limit)}</span>
      <span class="figures">
        {whole(limit.used)}
        <span class="muted"> / {limit.limit === null ? "unlimited" : whole(limit.limit)}</span>
      </span>
    </div>
    <progress
      aria-label={labelOf(limit)}
      value={limit.limit === null ? 0 : limit.used}
      max={Math.max(1, limit.limit ?? 1)}
    />
    {limit.period !== "at_once" && limit.period !== "minute" && (
      <small class="muted">
        resets <Time at={limit.reset_at} />
      </small>
    )}
  </li>
)

/** What the account may use, and uses now. */
export const Limits = () => {
  const loaded = useRequest<AccountLimits>("/v1/limits", { everyMillis: 5000 })
  return (
    <Panel title="Limits now" tools={loaded.data !== undefined && <span class="tag">{loaded.data.plan} plan</span>}>
      <Show loaded={loaded}>
        {({ limits, streams }) => (
          <>
            <ul class="gauges">
              {limits.map((limit) => (
                <Gauge key={limit.name} limit={limit} />
              ))}
            </ul>
            <p class="small muted">
              A subscription replays up to {whole(streams.snapshot_count)} events and{" "}
              {duration(streams.since_seconds * 1000)} back.{" "}
              {streams.session_seconds_per_day === null
                ? "Streams may stay connected all day."
                : `Streams may be connected for ${duration(streams.session_seconds_per_day * 1000)} a day.`}
            </p>
          </>
        )}
      </Show>
    </Panel>
  )
}
