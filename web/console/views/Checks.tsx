import { percent, unknown, whole } from "../../shared/format.ts"
import { Show } from "../../shared/ui/States.tsx"
import { type Column, Table } from "../../shared/ui/Table.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { type Ask, Tag, useAsk } from "../parts.tsx"
import type { Run } from "../shapes.ts"
import { change } from "../token.ts"
import { useOps } from "../useOps.ts"

const isOpen = ({ state }: Run) => state === "queued" || state === "running"

const resultOf = ({ verified, rebuilt, error }: Run): string => {
  if (error !== null) return error
  if (verified !== null) {
    const wrong = verified.checks.filter(({ ok }) => !ok)
    if (wrong.length === 0) return `all ${whole(verified.checks.length)} checks are ok`
    return wrong.map(({ check, detail }) => `${check}: ${detail}`).join("; ")
  }
  if (rebuilt === null) return unknown
  const { positions, realized_events: realized, undo } = rebuilt.differed
  return `${whole(rebuilt.positions)} positions computed, ${whole(positions + realized + undo)} rows corrected`
}

const tones: Readonly<Record<Run["state"], string>> = {
  queued: "muted",
  running: "caution",
  done: "up",
  failed: "down",
  cancelled: "muted",
}

const cancelOf = ({ id, kind }: Run): Ask => ({
  title: "Cancel the run",
  text: `The run of ${kind} stops within seconds and changes nothing.`,
  action: "Stop it",
  run: () => change(`/checks/${id}`, "DELETE"),
})

const columns = (ask: (asked: Ask) => void): ReadonlyArray<Column<Run>> => [
  { label: "Run", cell: ({ kind }) => kind },
  { label: "State", cell: ({ state }) => <Tag tone={tones[state]}>{state}</Tag> },
  {
    label: "Progress",
    cell: (run) => (
      <>
        <progress value={run.progress} max={1} aria-label={`Progress of ${run.kind}`} />
        <span class="small muted">
          {percent(run.progress)} {isOpen(run) ? run.step : ""}
        </span>
      </>
    ),
  },
  { label: "Result", cell: resultOf },
  { label: "Asked", cell: ({ requested_at }) => <Time at={requested_at} /> },
  { label: "By", cell: ({ requested_by }) => requested_by },
  { label: "Ended", cell: ({ finished_at }) => <Time at={finished_at} style="clock" /> },
  {
    label: "Actions",
    cell: (run) =>
      isOpen(run) ? (
        <button
          type="button"
          class="small outline secondary"
          disabled={run.cancel_requested}
          onClick={() => ask(cancelOf(run))}
        >
          {run.cancel_requested ? "Stopping" : "Cancel the run"}
        </button>
      ) : (
        unknown
      ),
  },
]

const starts: ReadonlyArray<Ask & { readonly label: string }> = [
  {
    label: "Verify the ledger",
    title: "Verify the ledger",
    text: "A worker recomputes everything derived from the facts and reports differences. It reads the whole ledger and changes nothing.",
    action: "Verify",
    run: () => change("/checks", "POST", { kind: "verify" }),
  },
  {
    label: "Rebuild positions",
    title: "Rebuild positions",
    text: "A worker recomputes positions, gains and losses and corrects differences in one transaction. The chain follower waits meanwhile.",
    action: "Rebuild",
    run: () => change("/checks", "POST", { kind: "rebuild_positions" }),
  },
]

/** Verification and repair of the ledger, with progress. */
export const Checks = () => {
  const loaded = useOps<{ readonly runs: ReadonlyArray<Run> }>("/checks", 2000)
  const { ask, view } = useAsk(loaded.reload)
  return (
    <>
      <p class="row">
        {starts.map((start) => (
          <button key={start.label} type="button" class="outline" onClick={() => ask(start)}>
            {start.label}
          </button>
        ))}
      </p>
      {view}
      <Show loaded={loaded}>
        {({ runs }) => (
          <Table
            label="Runs, newest first"
            columns={columns(ask)}
            rows={runs}
            rowKey={({ id }) => id}
            empty="Nothing was checked from here yet."
          />
        )}
      </Show>
    </>
  )
}
