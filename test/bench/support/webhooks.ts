import type { Filters, WebhookEventType } from "#src/webhooks/model.ts"

/** Of all webhooks of the bench. */
export const secret = "whsec_0123456789abcdef0123456789abcdef"
/** Attempts at a time, whoever makes them. */
export const concurrency = 64

export const now = (): number => performance.timeOrigin + performance.now()

/** What a trade says, of the size that is usual; the number of the block tells one from the other. */
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

export interface Used {
  readonly cpuSeconds: number
}

export const used = (): Used => {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1e6 }
}

/** Something that sends deliveries. */
export interface DeliverySubject {
  /** Where to; deliveries go to these one after the other. */
  readonly aim: (urls: ReadonlyArray<string>) => Promise<void>
  /** Hands so many deliveries to whatever sends them. */
  readonly deliver: (count: number) => Promise<void>
  /** When all of them have been dealt with. */
  readonly settled: () => Promise<void>
  readonly use: () => Promise<Used>
}

/** When something was there for everybody to see; comparable between processes of one machine. */
export interface Told {
  readonly block: number
  readonly at: number
}

export interface OutboxSubject extends DeliverySubject {
  /** Owes deliveries at a rate. */
  readonly trickle: (perSecond: number, seconds: number) => Promise<ReadonlyArray<Told>>
}

export interface PollingSubject {
  /** Looks for events at the real cadences and sends what comes of it. */
  readonly work: () => Promise<void>
  readonly use: () => Promise<Used>
}

export interface WantedHook {
  readonly url: string
  readonly type: WebhookEventType
  readonly filters: Filters
}

/** What a chain brings in a second. */
export interface Pace {
  readonly blocksPerSecond: number
  readonly fillsPerBlock: number
  /** From how many wallets the makers come, one after the other. */
  readonly wallets: number
  /** Wallets that split in one block and merge in the next. */
  readonly splitters: number
}

/** The ledger's writer. */
export interface FactsSubject {
  readonly hooks: (wanted: ReadonlyArray<WantedHook>) => Promise<void>
  /** Makes blocks for a time; when each was committed. */
  readonly mine: (pace: Pace, seconds: number) => Promise<ReadonlyArray<Told>>
}

export interface Arrived {
  readonly type: string
  readonly block: number
  /** When it was written down that it is owed, and when it came. */
  readonly owedAt: number
  readonly at: number
  readonly endpoint: number
}

export interface ReceiverSubject {
  /** So many endpoints, each with an origin of its own. */
  readonly listen: (endpoints: number) => Promise<ReadonlyArray<string>>
  /** Forgets what came. */
  readonly begin: () => Promise<void>
  /** Waits until so many different ones have come; says how many came twice or were not signed, of those looked at. */
  readonly received: (
    count: number,
    withinMillis: number,
  ) => Promise<{ readonly distinct: number; readonly twice: number; readonly unsigned: number }>
  /** These endpoints answer no more, until it is said otherwise. */
  readonly swallow: (endpoints: ReadonlyArray<number>) => Promise<void>
  /** Most requests at a time that an endpoint has left without an answer. */
  readonly mostWaiting: () => Promise<number>
  readonly arrivals: () => Promise<ReadonlyArray<Arrived>>
}
