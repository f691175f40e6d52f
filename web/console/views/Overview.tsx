import { compact, decimal, bytes as formatBytes, perSecond, unknown, whole } from "../../shared/format.ts"
import { Notice } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { samples } from "../history.ts"
import { HourChart, Tag } from "../parts.tsx"
import { perProcess, rates } from "../series.ts"
import type { Overview as Answer, Level } from "../shapes.ts"

const tones: Readonly<Record<Level, string>> = { critical: "down", warning: "caution", info: "muted" }

/** Problems of the stores have no part of their own. */
const linkTo = (section: string) => (section === "stores" ? "/console" : `/console/${section}`)

const charts = () => {
  const all = samples.value
  return [
    {
      title: "Requests",
      format: perSecond,
      series: rates(all, {
        answered: (n) => n === "http",
        refused: (n) => n === "http.429",
        failed: (n) => n === "http.5xx",
      }),
    },
    {
      title: "Rows from sources",
      format: perSecond,
      series: rates(all, { rows: (n) => n.startsWith("rows.") && n !== "rows.event_log" }),
    },
    {
      title: "Jobs",
      format: perSecond,
      series: rates(all, {
        done: (n) => n.startsWith("jobs.") && n.endsWith(".done"),
        failed: (n) => n.startsWith("jobs.") && n.endsWith(".failed"),
        retried: (n) => n.startsWith("jobs.") && n.endsWith(".retried"),
      }),
    },
    { title: "Memory by process", format: formatBytes, series: perProcess(all, ({ rss }) => rss) },
    {
      title: "Event loop lag by process",
      format: (ms: number) => `${whole(ms)} ms`,
      series: perProcess(all, ({ lag }) => lag),
    },
    {
      title: "Cores in use by process",
      format: (n: number) => decimal(n, 2),
      series: perProcess(all, ({ cpu }) => cpu),
    },
  ]
}

/** What is wrong now, then key figures and the last hour. */
export const Overview = ({ overview: { problems, figures, version } }: { readonly overview: Answer }) => (
  <>
    <h1>{problems.every(({ level }) => level === "info") ? "Everything works" : "What is wrong now"}</h1>
    {problems.length === 0 ? (
      <Notice>No problem is known. The page looks every 5 s.</Notice>
    ) : (
      <ul class="problems" aria-label="Problems">
        {problems.map(({ level, section, text }) => (
          <li key={`${section} ${text}`}>
            <Tag tone={tones[level]}>{level}</Tag> <a href={linkTo(section)}>{text}</a>
          </li>
        ))}
      </ul>
    )}
    <Stats
      items={[
        { label: "Processes", value: whole(figures["processes"]) },
        { label: "Newest event", value: `#${figures["events_head"] ?? unknown}` },
        { label: "Relay lag", value: `${whole(figures["relay_lag"])} events` },
        { label: "Jobs waiting", value: compact(figures["jobs_waiting"]) },
        { label: "Jobs failed", value: compact(figures["jobs_failed"]) },
        { label: "Deliveries pending", value: compact(figures["deliveries_pending"]) },
        { label: "Version", value: version },
      ]}
    />
    <h2>The last hour</h2>
    <div class="columns">
      {charts().map((chart) => (
        <HourChart key={chart.title} {...chart} />
      ))}
    </div>
    <p class="small muted">Long-term figures are in Prometheus: see deploy/grafana.json and deploy/alerts.yml.</p>
  </>
)
