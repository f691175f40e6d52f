/** Pretends to be the events that are told: the same bytes for all. */
export interface StreamServer {
  readonly listen: () => Promise<{ readonly port: number; readonly path: string }>
  /** Sends so many events to everybody; returns when they have been handed over. */
  readonly tell: (count: number, frame: string) => Promise<void>
}

export interface Told {
  readonly seq: number
  /** When its commit was known; comparable between processes of one machine. */
  readonly at: number
}

export interface StreamSubject extends Omit<StreamServer, "tell"> {
  /** Reads a world into the ledger; how many fills that are. */
  readonly prepare: () => Promise<number>
  /** Appends so many fills to the log. */
  readonly tell: (count: number) => Promise<void>
  /** Appends fills at a rate; what was told and when. */
  readonly trickle: (perSecond: number, seconds: number) => Promise<ReadonlyArray<Told>>
  /** Who traded what, each pair once. */
  readonly pairs: (count: number) => Promise<ReadonlyArray<{ readonly wallet: string; readonly token: string }>>
  readonly position: () => Promise<{ readonly epoch: string; readonly seq: number }>
  readonly use: () => Promise<{ readonly megabytes: number; readonly cpuSeconds: number }>
}

export interface Crowd {
  readonly port: number
  readonly path: string
  /** What each socket says when it is open: one for all, or one each. */
  readonly messages: ReadonlyArray<string>
  readonly count: number
  /** The frame that tells that a socket is where it should be; nothing for sockets that say nothing. */
  readonly until?: string
}

export interface Received {
  readonly deliveries: number
  readonly millis: number
  /** Events that came in another order than their seqs, or twice. */
  readonly faults: number
}

export interface SocketsSubject {
  /** Opens sockets, more than before, as fast as it can; milliseconds until all are there. */
  readonly open: (crowd: Crowd) => Promise<number>
  /** Waits until so many events have come to all sockets together since `begin`. */
  readonly begin: () => Promise<void>
  readonly received: (deliveries: number, withinMillis: number) => Promise<Received>
  /** The first so many sockets read no more, until they are told to go on. */
  readonly stall: (count: number) => Promise<void>
  readonly unstall: () => Promise<void>
  /** When each event came to each socket, as milliseconds since it was told; only those that came. */
  readonly lateness: (told: ReadonlyArray<Told>) => Promise<ReadonlyArray<number>>
  /** An event as it came. */
  readonly sample: () => Promise<string>
  readonly close: () => Promise<void>
}
