/** What every command does, in the order of the help page. Without imports: `presage --help` loads nothing else of ours. */
export const descriptions = {
  start: "Start Presage and run until stopped",
  config: "Print every setting of the running instance, or of a start if none runs, with its value and source",
  tune: "Change a setting in every running process, permanently",
  migrate: "Migrate the database schema ('presage start' does this too)",
  doctor: "Check what Presage needs to run and explain how to fix problems",
  status: "Print the state of every data source: age, lag, rate, gaps, undecodable messages",
  verify: "Recompute everything derived from the ledger's facts and report differences",
  rebuild: "Rebuild data derived from the ledger's facts",
  backfill:
    "Read blocks from the chain again and add missing facts to the ledger in one transaction; the service may keep running",
  ledger: "Repair the ledger",
  export:
    "Write the ledger's facts (fills, splits, transfers, resolutions and all others) to Parquet or CSV files; the service may keep running",
  import:
    "Add the facts of exported files to the ledger, before those that it has, and recompute positions; checks every file, and some blocks against the node. May be repeated after an interruption; the service may keep running",
  "explain-tx": "Show what a transaction did to every wallet, as the ledger reads its logs",
  record: "Record what the upstreams send, without credentials, for a replay on another machine",
  replay: "Run the whole service on a recording, with the time of the recording and stores of its own",
  keys: "Create, list and revoke API keys",
  accounts: "Create and change accounts",
  webhooks: "Inspect webhooks and their deliveries, and receive deliveries locally",
} as const

export const about = "A self-hosted data service for prediction markets"
