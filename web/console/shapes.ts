/** The parts of the answers of `/ops/v1` that the page uses; `/ops/v1/openapi.json` documents them. */
export type Level = "critical" | "warning" | "info"

export interface Overview {
  readonly version: string
  readonly problems: ReadonlyArray<{ readonly level: Level; readonly section: string; readonly text: string }>
  readonly figures: Readonly<Record<string, number>>
}

export interface Source {
  readonly source: string
  readonly state: "ok" | "loading" | "late" | "stopped" | "unknown"
  readonly age_seconds: number | null
  readonly lag: number | null
  readonly rows_per_second: number
  readonly gaps: { readonly open: number; readonly lost: number } | null
  readonly errors: Readonly<Record<string, number>>
  readonly last_undecodable: { readonly at: number; readonly what: string; readonly reason: string } | null
}

export interface Actor {
  readonly actor: string
  readonly epoch: number
  readonly taken_at: string
  readonly process: string | null
  readonly restarts: number
}

export interface Queue {
  readonly queue: string
  readonly waiting: number
  readonly prioritized: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  readonly per_minute: { readonly done: number; readonly retried: number; readonly failed: number }
}

export interface FailedJob {
  readonly id: string
  readonly reason: string
  readonly attempts: number
  readonly failed_at: string | null
  readonly payload: string
}

export interface EventLog {
  readonly head: number
  readonly oldest: number
  readonly newest_at: string | null
  readonly tail_last: number
  readonly tail_length: number
  readonly relay_lag: number
  readonly recent: ReadonlyArray<{ readonly seq: number; readonly kind: string; readonly recorded_at: string }>
}

export interface Deliveries {
  readonly pollers: ReadonlyArray<{
    readonly poller: string
    readonly seq: number
    readonly lag: number
    readonly moved_at: string
  }>
  readonly pending: number
  readonly due: number
  readonly oldest_due_seconds: number | null
  readonly failed: number
  readonly held: number
  readonly over_cap: number
  readonly webhooks: number
  readonly disabled: number
  readonly troubled: ReadonlyArray<{
    readonly id: string
    readonly account_id: string
    readonly host: string
    readonly state: string
    readonly disabled_reason: string | null
    readonly failing_since: string | null
    readonly pending: number
    readonly failed: number
  }>
}

export interface Process {
  readonly id: string
  readonly roles: ReadonlyArray<string>
  readonly version: string
  readonly started_at: string
  readonly reported_at: string
  readonly is_silent: boolean
  readonly rss_bytes: number
  readonly heap_bytes: number
  readonly loop_lag_ms: number
  readonly cpu_cores: number
  readonly actors: number
}

export interface Sample {
  readonly process: string
  readonly at: number
  readonly seconds: number
  readonly rss: number
  readonly lag: number
  readonly cpu: number
  readonly counts: Readonly<Record<string, number>>
}

export interface Limits {
  readonly window_seconds: number
  readonly unauthenticated_per_minute: number
  readonly refused_last_hour: number
  readonly requests_last_hour: number
  readonly plans: ReadonlyArray<{
    readonly plan: string
    readonly standard_per_minute: number
    readonly heavy_per_minute: number
    readonly keys: number
    readonly webhooks: number
  }>
  readonly top_accounts: ReadonlyArray<{
    readonly account_id: string
    readonly name: string
    readonly plan: string
    readonly standard_per_minute: number
    readonly requests: number
    readonly bytes: number
  }>
}

export interface Setting {
  readonly name: string
  readonly env: string
  readonly value: string
  readonly source: string
  readonly default: string
  readonly live: boolean
  readonly wants: string
  readonly doc: string
  readonly differs: ReadonlyArray<{ readonly process: string; readonly value: string }>
}

export interface AuditLine {
  readonly at: string
  readonly by: string
  readonly action: string
  readonly subject: string
  readonly detail: string
  readonly outcome: string | null
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly active: boolean
  readonly standard_per_minute: number
  readonly heavy_per_minute: number
  readonly own_limits: { readonly standard_per_minute: number | null; readonly heavy_per_minute: number | null }
  readonly created_at: string
  readonly keys: number
}

export interface Run {
  readonly id: string
  readonly kind: "verify" | "rebuild_positions"
  readonly state: "queued" | "running" | "done" | "failed" | "cancelled"
  readonly requested_by: string
  readonly requested_at: string
  readonly finished_at: string | null
  readonly step: string | null
  readonly progress: number
  readonly cancel_requested: boolean
  readonly verified: {
    readonly ok: boolean
    readonly checks: ReadonlyArray<{ readonly check: string; readonly ok: boolean; readonly detail: string }>
  } | null
  readonly rebuilt: {
    readonly positions: number
    readonly differed: { readonly positions: number; readonly realized_events: number; readonly undo: number }
  } | null
  readonly error: string | null
}
