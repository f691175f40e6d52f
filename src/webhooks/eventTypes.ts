import { Duration } from "effect"
import { pollers } from "./contracts.ts"
import {
  type ConfirmationLevel,
  confirmationLevels,
  type FilterName,
  type WebhookEventType,
  webhookEventTypes,
} from "./model.ts"

interface EventTypeSpec {
  readonly description: string
  /** Filters that it accepts. */
  readonly filters: ReadonlyArray<FilterName>
  /** Filters that it requires. */
  readonly required?: ReadonlyArray<FilterName>
  /** Its cadence, if that is not the poller's. */
  readonly cadence?: string
  readonly beta?: boolean
  /** Levels at which it can be delivered, if not at all. */
  readonly levels?: ReadonlyArray<ConfirmationLevel>
}

/** State that follows from facts would be wrong after a reorganisation. */
const notBeforeConfirmed = ["confirmed", "finalized"] as const

const specs: Readonly<Record<WebhookEventType, EventTypeSpec>> = {
  trade: {
    description: "A fill that involves watched wallets or markets",
    filters: ["wallet_addresses", "token_ids", "condition_ids", "event_slugs", "tags", "min_amount_usd", "side"],
  },
  large_trade: {
    description: "A fill of at least `min_amount_usd`",
    filters: ["min_amount_usd", "condition_ids", "event_slugs", "tags"],
    required: ["min_amount_usd"],
  },
  builder_trade: {
    description: "A fill that was routed through a given builder",
    filters: ["builder_codes", "min_amount_usd"],
    required: ["builder_codes"],
  },
  first_trade: { description: "The first trade of a wallet", filters: ["min_amount_usd"], levels: notBeforeConfirmed },
  price_change: {
    description: "The price of a token moves by at least `min_delta_pct` percent; without it, by any amount",
    filters: ["token_ids", "condition_ids", "min_delta_pct"],
    levels: notBeforeConfirmed,
  },
  market_resolved: { description: "A market is resolved", filters: ["condition_ids", "event_slugs", "tags"] },
  market_created: { description: "A new market appears", filters: ["tags", "event_slugs"] },
  pnl_change: {
    description: "The realized profit or loss of a wallet changes by at least `min_pnl_change_usd`",
    filters: ["wallet_addresses", "min_pnl_change_usd"],
    required: ["wallet_addresses"],
    levels: notBeforeConfirmed,
  },
  position_status_change: {
    description: "A position of a watched wallet is opened, closed, becomes redeemable or is redeemed",
    filters: ["wallet_addresses", "token_ids", "condition_ids", "event_slugs", "tags", "status_from", "status_to"],
    required: ["wallet_addresses"],
    beta: true,
    levels: ["confirmed"],
  },
  redemption: { description: "A wallet redeems shares", filters: ["wallet_addresses", "condition_ids"] },
  split: { description: "A wallet splits conditional tokens", filters: ["wallet_addresses", "condition_ids"] },
  merge: { description: "A wallet merges conditional tokens", filters: ["wallet_addresses", "condition_ids"] },
  neg_risk_conversion: { description: "A wallet converts neg-risk positions", filters: ["wallet_addresses"] },
  fee_earned: { description: "A fee receiver is paid", filters: ["receiver_addresses", "min_fee_usd"] },
  wallet_activity: {
    description: "Any activity of a watched wallet; trades are delivered sooner than the rest",
    filters: ["wallet_addresses"],
    required: ["wallet_addresses"],
    cadence: "3-15 s",
  },
  order_complete: {
    description: "An order with several fills had none for 30 seconds",
    filters: ["wallet_addresses", "min_total_usd"],
    levels: notBeforeConfirmed,
    cadence: "about 33 s",
  },
}

/** The others come from the catalogue, and need no confirmations. */
export const isOnChain = (type: WebhookEventType): boolean => type !== "market_created" && type !== "market_resolved"

export interface EventTypeInfo extends Required<EventTypeSpec> {
  readonly name: WebhookEventType
  /** The longest time between two ticks of its pollers. */
  readonly cadenceSeconds: number
  /** It cannot share a webhook with another type, because none accepts the filters that it requires. */
  readonly exclusive: boolean
}

const secondsOf = (name: WebhookEventType) =>
  Math.max(
    ...Object.values(pollers)
      .filter(({ type }) => type === name)
      .map(({ every }) => Duration.toSeconds(every)),
  )

const infoOf = (name: WebhookEventType): EventTypeInfo => {
  const spec = specs[name]
  const { description, filters, required = [], beta = false, levels = confirmationLevels } = spec
  const { cadence = `${secondsOf(name)} s` } = spec
  const others = webhookEventTypes.filter((other) => other !== name)
  const exclusive = !others.some((other) => required.every((filter) => specs[other].filters.includes(filter)))
  return { name, description, filters, required, beta, levels, cadence, cadenceSeconds: secondsOf(name), exclusive }
}

/** All event types. */
export const eventTypeInfos = Object.fromEntries(webhookEventTypes.map((name) => [name, infoOf(name)])) as Readonly<
  Record<WebhookEventType, EventTypeInfo>
>
