/** A server that sends the same event bytes to all clients. */
export interface StreamServer {
  readonly listen: () => Promise<{ readonly port: number; readonly path: string }>
  /** Sends events to all clients; resolves when they have been handed to the sockets. */
  readonly publish: (count: number, frame: string) => Promise<void>
}

export interface Committed {
  readonly seq: number
  /** When the commit was confirmed; comparable across processes on one machine. */
  readonly at: number
}

export interface StreamSubject extends Omit<StreamServer, "publish"> {
  /** Ingests a world into the ledger; returns the number of fills. */
  readonly prepare: () => Promise<number>
  /** Appends fills to the log. */
  readonly publish: (count: number) => Promise<void>
  /** Appends fills at a rate; returns when each was committed. */
  readonly trickle: (perSecond: number, seconds: number) => Promise<ReadonlyArray<Committed>>
  /** Distinct pairs of wallet and token. */
  readonly pairs: (count: number) => Promise<ReadonlyArray<{ readonly wallet: string; readonly token: string }>>
  readonly position: () => Promise<{ readonly epoch: string; readonly seq: number }>
  readonly usage: () => Promise<{ readonly megabytes: number; readonly cpuSeconds: number }>
}

export interface ClientGroup {
  readonly port: number
  readonly path: string
  /** Messages sent after opening: one for all sockets, or one per socket. */
  readonly messages: ReadonlyArray<string>
  readonly count: number
  /** Text of the frame that marks a socket as ready; undefined for sockets that send no message. */
  readonly until?: string
}

export interface Received {
  readonly deliveries: number
  readonly millis: number
  /** Events received twice or out of order. */
  readonly errors: number
}

export interface SocketsSubject {
  /** Opens additional sockets as fast as possible; returns the milliseconds until all are ready. */
  readonly open: (group: ClientGroup) => Promise<number>
  /** Starts a new count for `received`, which waits for this many events on all sockets together. */
  readonly reset: () => Promise<void>
  readonly received: (deliveries: number, withinMillis: number) => Promise<Received>
  /** The first `count` sockets stop reading until `resume`. */
  readonly pause: (count: number) => Promise<void>
  readonly resume: () => Promise<void>
  /** Milliseconds from the commit of each event to its arrival at each socket; received events only. */
  readonly lateness: (events: ReadonlyArray<Committed>) => Promise<ReadonlyArray<number>>
  /** An event as received. */
  readonly sample: () => Promise<string>
  readonly close: () => Promise<void>
}
