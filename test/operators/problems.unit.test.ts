import { assert, describe, it } from "@effect/vitest"
import {
  deliveryProblems,
  type Problem,
  processProblems,
  queueProblems,
  sourceProblems,
  worstFirst,
} from "#src/operators/problems.ts"
import type { ReportingProcess } from "#src/processes/Processes.ts"
import type { SourceStatus, SourcesReport } from "#src/status/model.ts"

const source = (more: Partial<SourceStatus>): SourceStatus => ({
  source: "chain",
  state: "ok",
  age_seconds: 2,
  lag: 0,
  rows_per_second: 1,
  gaps: null,
  reconnects: 0,
  undecodable: 0,
  last_undecodable: null,
  reported_seconds_ago: 1,
  counted_since: 0,
  details: {},
  ...more,
})

const report = (sources: ReadonlyArray<SourceStatus>, more: Partial<SourcesReport> = {}): SourcesReport =>
  ({ sources, circuits_open: [], balances: { state: "ok", differences: 0 }, ...more }) as SourcesReport

const process = (more: Partial<ReportingProcess>): ReportingProcess => ({
  host: "a",
  pid: 1,
  id: "a:1",
  roles: ["all"],
  version: "1.0.0",
  node: "v22",
  startedAt: 0,
  at: 0,
  isSilent: false,
  sample: { seconds: 10, rss: 0, heap: 0, lag: 0, cpu: 0, counts: {} },
  actors: {},
  restarts: {},
  errors: {},
  ...more,
})

const texts = (problems: ReadonlyArray<Problem>) => problems.map(({ level, text }) => `${level}: ${text}`)

describe("What is wrong now", () => {
  it("names sources that are late, stopped or loading, but not those without settings", () => {
    const sources = [
      source({}),
      source({ source: "books", state: "late", age_seconds: 300 }),
      source({ source: "sports", state: "stopped", age_seconds: null }),
      source({ source: "catalogue", state: "loading" }),
      source({ source: "oracle", state: "stopped", details: { missing_settings: "UPSTREAM_DATASTREAMS_ID" } }),
    ]
    assert.deepStrictEqual(texts(sourceProblems(report(sources, { circuits_open: ["gamma"] }))), [
      "warning: books is late: its newest data are 5 min old",
      "critical: No process follows sports",
      "info: catalogue is loading for the first time",
      "warning: Calls to gamma pause after repeated failures",
    ])
  })

  it("names processes that died, roles that nobody has, and several versions", () => {
    const processes = [
      process({ roles: ["api", "worker"] }),
      process({ id: "b:2", roles: ["scheduler"], version: "1.1.0", sample: { ...process({}).sample, lag: 900 } }),
      process({ id: "c:3", roles: ["gateway"], isSilent: true }),
    ]
    assert.deepStrictEqual(texts(processProblems(processes, 90_000)), [
      "critical: Process c:3 (gateway) has not reported for 90 s",
      "critical: No process has the role gateway",
      "warning: The event loop of b:2 was 900 ms late",
      "warning: Several versions run: 1.0.0, 1.1.0",
    ])
    assert.deepStrictEqual(processProblems([process({})], 0), [])
  })

  it("names failed jobs, long queues and overdue deliveries", () => {
    const idle = { waiting: 0, prioritized: 0, active: 0, delayed: 0, failed: 0 }
    const queues = [
      { ...idle, queue: "x", failed: 1 },
      { ...idle, queue: "y", waiting: 20_000 },
      { ...idle, queue: "z" },
    ]
    assert.deepStrictEqual(texts(queueProblems(queues)), [
      "warning: 1 job of x failed for good",
      "warning: 20,000 jobs of y wait",
    ])
    const totals = {
      pending: 3,
      due: 2,
      oldestDueAt: new Date(0),
      failed: 0,
      held: 0,
      overCap: 0,
      webhooks: 2,
      disabled: 1,
    }
    assert.deepStrictEqual(texts(deliveryProblems(totals, 200_000)), [
      "warning: 2 deliveries are overdue, the oldest by 3 min",
      "warning: 1 webhook is disabled",
    ])
    assert.deepStrictEqual(deliveryProblems({ ...totals, disabled: 0 }, 10_000), [])
  })

  it("puts the worst first", () => {
    const of = (level: Problem["level"]): Problem => ({ level, section: "jobs", text: level })
    assert.deepStrictEqual(
      worstFirst([of("info"), of("warning"), of("critical")]).map(({ level }) => level),
      ["critical", "warning", "info"],
    )
  })
})
