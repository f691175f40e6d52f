/** Every Redis key and channel that Presage uses, in one place so that none collides. */
export const keys = (prefix: string) => ({
  /** BullMQ adds `:<queue>:<part>` to it. */
  jobs: `${prefix}:jobs`,
  /** The hot tail of the event log: a capped stream whose entry ids are `<seq>-0`. */
  events: `${prefix}:events`,
  /** The log that the stream is the tail of, and the highest epoch of a relay that wrote to it. */
  eventsOwner: `${prefix}:events:owner`,
  /**
   * Per shard: tokens whose books are requested, by expiry; published quotes; published full books; and a capped stream of
   * changes.
   */
  booksOf: (shard: number) => ({
    wanted: `${prefix}:books:${shard}:wanted`,
    quotes: `${prefix}:books:${shard}:quotes`,
    depth: `${prefix}:books:${shard}:depth`,
    changes: `${prefix}:books:${shard}:changes`,
  }),
  /** Live ticks of a coin from a source: a capped stream whose entry ids are the ticks' ids. */
  ticks: (coin: string, source: string) => `${prefix}:ticks:${coin}:${source}`,
  /** Recent admissions of an owner to a bucket: a ring of timestamps. All buckets of an owner share a hash slot. */
  limit: (owner: string, bucket: string, windowMillis: number) =>
    `${prefix}:limits:{${owner}}:${bucket}:${windowMillis}`,
  /** A cached answer with its timestamps, and the lease of its refresh; both in one hash slot. */
  answer: (name: string, key: string) => ({
    stored: `${prefix}:answers:{${name}:${key}}`,
    lease: `${prefix}:answers:{${name}:${key}}:lease`,
  }),
  /** Probe key: whether Redis accepts answers again. */
  answersProbe: `${prefix}:answers:probe`,
  /** Connections of an account to any gateway, by the expiry of their lease. */
  connections: (account: string, kind: string) => `${prefix}:ws:{${account}}:connections:${kind}`,
  /** Connected time of an account on a UTC day, the time up to which it is counted, and the gateways that count it. */
  session: (account: string, day: string) => `${prefix}:ws:{${account}}:session:${day}`,
  /** Reasons of recently cut connections of a key: their order by time, and the records. */
  disconnects: (lineage: string) => ({
    byTime: `${prefix}:ws:{${lineage}}:farewells`,
    records: `${prefix}:ws:{${lineage}}:farewells:words`,
  }),
  /** Probe key: whether Redis accepts writes, for the readiness of a process. */
  readinessProbe: `${prefix}:ready:probe`,
  /** Probe key: whether Redis accepts writes of gateways. */
  gatewayProbe: `${prefix}:ws:probe`,
  /**
   * A shared run: the current run of a name, its state, the chunks produced so far, and its waiters by expiry. All in one
   * hash slot.
   */
  sharedRun: (name: string, id: string) => {
    const current = `${prefix}:flights:{${name}}`
    const own = `${current}:${id}`
    return { current, state: `${own}:state`, chunks: `${own}:chunks`, waiters: `${own}:waiters` }
  },
  /** Bytes that each shared run holds, their total, and the expiry of each. */
  sharedRunsHeld: { bytes: `${prefix}:flights:held`, ends: `${prefix}:flights:held:ends` },
  /** Finished shared runs of a kind that are kept for reuse, by expiry. */
  sharedRunsKept: (kind: string) => `${prefix}:flights:kept:${kind}`,
  /** Channel: a shared run has a new chunk, has ended, or has no waiters left. */
  sharedRunNews: `${prefix}:flights:news`,
  /** The second at which exports of a wallet end that were asked for beyond the newest block. */
  exportEnd: (id: string, from: number) => `${prefix}:exports:{${id}:${from}}:end`,
  /** The settings of every running process, by host and process id. */
  settings: `${prefix}:settings`,
  /** What every running process says about itself, by host and process id. */
  processes: `${prefix}:processes`,
  /** Measurements of a process over the last hour: a capped stream. */
  processSamples: (id: string) => `${prefix}:processes:${id}:samples`,
  /** Channel: a live override changed. */
  tuned: `${prefix}:tuned`,
  /** Channel: the account named in the message, or one of its keys, changed. */
  keysChanged: `${prefix}:keys:changed`,
})
