import type { Filters, WebhookEventType } from "#src/webhooks/model.ts"

/** Secret of all webhooks of the bench. */
export const secret = "whsec_0123456789abcdef0123456789abcdef"
/** Concurrent attempts of every candidate. */
export const concurrency = 64

export const now = (): number => performance.timeOrigin + performance.now()

/** Data of a trade event of typical size. The block number identifies the event. */
export const tradeOf = (block: number) => ({
  id: `0x${"5e".repeat(32)}_${block}`,
  maker: `0x${"a1".repeat(20)}`,
  taker: `0x${"b2".repeat(20)}`,
  token_id: "71321045679252212594626385532706912750332728571942532289631379312455583992563",
  direction: "BUY",
  price: 0.52,
  amount_usd: 1040,
  shares: 2000,
  fee_usd: 1.25,
  market: "Will the bench be done in time?",
  slug: "will-the-bench-be-done-in-time",
  outcome: "Yes",
  condition_id: `0x${"c3".repeat(32)}`,
  event_slug: "benches",
  transaction_hash: `0x${"5e".repeat(32)}`,
  block_number: block,
  log_index: 7,
  order_hash: `0x${"d4".repeat(32)}`,
  builder: `0x${"0".repeat(64)}`,
  timestamp: "1794700800",
})

export interface CpuUsage {
  readonly cpuSeconds: number
}

export const cpuUsage = (): CpuUsage => {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1e6 }
}

/** A process that sends deliveries. */
export interface DeliverySubject {
  /** Sets the URLs, which receive deliveries in turn. */
  readonly setTargets: (urls: ReadonlyArray<string>) => Promise<void>
  /** Enqueues this many deliveries. */
  readonly deliver: (count: number) => Promise<void>
  /** Resolves when all of them are finished. */
  readonly drained: () => Promise<void>
  readonly usage: () => Promise<CpuUsage>
}

/** When a block was committed, or the delivery row of an event; comparable across processes on one machine. */
export interface Committed {
  readonly block: number
  readonly at: number
}

export interface OutboxSubject extends DeliverySubject {
  /** Creates deliveries at a rate. */
  readonly trickle: (perSecond: number, seconds: number) => Promise<ReadonlyArray<Committed>>
}

export interface PollingSubject {
  /** Polls for events at the production cadences and sends the deliveries. */
  readonly work: () => Promise<void>
  readonly usage: () => Promise<CpuUsage>
}

export interface HookRequest {
  readonly url: string
  readonly type: WebhookEventType
  readonly filters: Filters
}

/** The load that a chain produces. */
export interface Pace {
  readonly blocksPerSecond: number
  readonly fillsPerBlock: number
  /** Number of maker wallets, used in turn. */
  readonly wallets: number
  /** Wallets that split in one block and merge in the next. */
  readonly splitters: number
}

/** Writes to the ledger. */
export interface FactsSubject {
  readonly hooks: (requests: ReadonlyArray<HookRequest>) => Promise<void>
  /** Mines blocks for a time; returns when each was committed. */
  readonly mine: (pace: Pace, seconds: number) => Promise<ReadonlyArray<Committed>>
}

export interface Arrival {
  readonly type: string
  readonly block: number
  /** When its delivery row was written, and when it arrived. */
  readonly createdAt: number
  readonly at: number
  readonly endpoint: number
}

export interface ReceiverSubject {
  /** Opens endpoints, each with its own origin. */
  readonly listen: (endpoints: number) => Promise<ReadonlyArray<string>>
  /** Clears the recorded arrivals. */
  readonly reset: () => Promise<void>
  /** Waits for this many distinct events; returns the duplicates, and the invalid signatures among those verified. */
  readonly received: (
    count: number,
    withinMillis: number,
  ) => Promise<{ readonly distinct: number; readonly duplicates: number; readonly unsigned: number }>
  /** These endpoints stop responding until the next call. */
  readonly silence: (endpoints: ReadonlyArray<number>) => Promise<void>
  /** Maximum number of concurrent unanswered requests. */
  readonly maxWaiting: () => Promise<number>
  readonly arrivals: () => Promise<ReadonlyArray<Arrival>>
}
