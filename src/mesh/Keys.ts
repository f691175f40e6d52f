/** Every Redis key and channel that Presage uses, so that none collides and each can be found here. */
export const keys = (prefix: string) => ({
  /** BullMQ adds `:<queue>:<part>` to it. */
  jobs: `${prefix}:jobs`,
  /** The hot tail of the event log: a capped stream whose entry ids are `<seq>-0`. */
  events: `${prefix}:events`,
  /** Which log the stream is the tail of, and the highest epoch of a relay that wrote to it. */
  eventsOwner: `${prefix}:events:owner`,
  /**
   * Tokens whose books somebody wants, by when that ends; what their shard shows of them, as quotes and in full; and a
   * capped stream of what changed.
   */
  booksOf: (shard: number) => ({
    wanted: `${prefix}:books:${shard}:wanted`,
    quotes: `${prefix}:books:${shard}:quotes`,
    depth: `${prefix}:books:${shard}:depth`,
    changes: `${prefix}:books:${shard}:changes`,
  }),
  /** Live ticks of a coin from a source: a capped stream whose entry ids are the ticks' ids. */
  ticks: (coin: string, source: string) => `${prefix}:ticks:${coin}:${source}`,
  /** When an owner was admitted to a bucket lately: a ring of times. All buckets of an owner share a hash slot. */
  limit: (owner: string, bucket: string, windowMillis: number) =>
    `${prefix}:limits:{${owner}}:${bucket}:${windowMillis}`,
  /** A cached answer with its times, and who is working on a newer one; both in one hash slot. */
  answer: (name: string, key: string) => ({
    stored: `${prefix}:answers:{${name}:${key}}`,
    lease: `${prefix}:answers:{${name}:${key}}:lease`,
  }),
  /** Written to see whether Redis takes answers again. */
  answersProbe: `${prefix}:answers:probe`,
  /** Connections that an account has to any gateway, by when their lease ends. */
  connections: (account: string, kind: string) => `${prefix}:ws:{${account}}:connections:${kind}`,
  /** How long an account was connected on a UTC day, until when that is counted, and which gateways count it now. */
  session: (account: string, day: string) => `${prefix}:ws:{${account}}:session:${day}`,
  /** Why connections of a key were cut, until it is told: by when it was, and in words. */
  farewells: (lineage: string) => ({
    order: `${prefix}:ws:{${lineage}}:farewells`,
    words: `${prefix}:ws:{${lineage}}:farewells:words`,
  }),
  /** Written to see whether Redis keeps what gateways share. */
  gatewayProbe: `${prefix}:ws:probe`,
  /**
   * Work that others wait for: which one goes under a name, and of that one how far it is, what it has brought so far, and
   * who waits for it by when that ends. All in one hash slot.
   */
  flight: (name: string, id: string) => {
    const current = `${prefix}:flights:{${name}}`
    const own = `${current}:${id}`
    return { current, state: `${own}:state`, chunks: `${own}:chunks`, waiters: `${own}:waiters` }
  },
  /** Bytes that each flight holds and all together, and when each is forgotten by itself. */
  flightsHeld: { bytes: `${prefix}:flights:held`, ends: `${prefix}:flights:held:ends` },
  /** Flights of a kind that are kept for whoever asks again, by when that ends. */
  flightsKept: (kind: string) => `${prefix}:flights:kept:${kind}`,
  /** Channel: a flight has brought something, or nobody waits for it any more. */
  flightNews: `${prefix}:flights:news`,
  /** Channel: a live override changed. */
  tuned: `${prefix}:tuned`,
  /** Channel: the account named in the message, or one of its keys, changed. */
  keysChanged: `${prefix}:keys:changed`,
})

export type Keys = ReturnType<typeof keys>
