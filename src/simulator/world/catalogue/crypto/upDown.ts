import { hash, seedOf } from "../../../random.ts"
import type { DraftSource, EventDraft, EventPlan, Millis } from "../../model.ts"
import { coins } from "../../oracle.ts"
import { cryptoFees, roundedWeight } from "../chance.ts"
import { day, easternOn, hour, minute, second } from "../eastern.ts"
import { cryptoSeriesFor, type Recurrence } from "../series.ts"
import { tagged } from "../tags.ts"
import { type CoinNames, coinNames, coinShare, type Span, type UpDownWindow, windowSlug, windowTitle } from "./names.ts"

interface SpanRule {
  readonly recurrence: Recurrence
  readonly by: "twap60" | "spot"
  readonly weight: number
  /** Undefined for a day, which runs from noon to noon in New York and can have 23 or 25 hours. */
  readonly duration: Millis | undefined
}

const spans: Readonly<Record<Span, SpanRule>> = {
  "5m": { recurrence: "5m", by: "twap60", weight: 100, duration: 5 * minute },
  "15m": { recurrence: "15m", by: "twap60", weight: 80, duration: 15 * minute },
  "1h": { recurrence: "hourly", by: "spot", weight: 60, duration: hour },
  "4h": { recurrence: "4h", by: "twap60", weight: 25, duration: 4 * hour },
  daily: { recurrence: "daily", by: "spot", weight: 50, duration: undefined },
}

const spanNames = Object.keys(spans) as ReadonlyArray<Span>

const sourceText = ({ by }: SpanRule, names: CoinNames): string =>
  by === "twap60"
    ? `The resolution source is the Chainlink data stream ${names.short.toUpperCase()}/USD, averaged over the last 60 seconds.`
    : `The resolution source is the ${names.short.toUpperCase()}/USDT candle that opens and closes with this window.`

const plan = (seed: number, window: UpDownWindow, createdAt: Millis): EventPlan => {
  const { coin, span, openAt, closeAt } = window
  const rule = spans[span]
  const names = coinNames[coin] as CoinNames
  const slug = windowSlug(window)
  const title = windowTitle(window)
  return {
    slug,
    title,
    description: `This market will resolve to "Up" if the price of ${names.title} at the end of the window is ${span === "daily" ? "above" : "greater than or equal to"} the price at its beginning, ${span === "daily" ? "to 50-50 if they are equal, " : ""}and to "Down" otherwise. ${sourceText(rule, names)}`,
    category: "crypto",
    tags: tagged("crypto", names.tag, "up-or-down", span, "hide-from-new"),
    series: cryptoSeriesFor(coin, rule.recurrence),
    game: undefined,
    createdAt,
    startsAt: openAt,
    endsAt: closeAt,
    negRisk: false,
    recurrence: rule.recurrence,
    markets: [
      {
        slug,
        question: title,
        outcomes: ["Up", "Down"],
        groupItemTitle: "",
        rule: { kind: "updown", coin, openAt, closeAt, by: rule.by, tie: span === "daily" ? "half" : "up" },
        endsAt: closeAt,
        resolvesAt: closeAt + 20 * second + (hash(seed, closeAt, coin, rule.weight) % (100 * second + 1)),
        weight: roundedWeight(rule.weight * (coinShare[coin] as number)),
        startPrice: 500,
        fees: cryptoFees,
        sportsMarketType: undefined,
        line: undefined,
        tickSize: "0.01",
      },
    ],
  }
}

/** The windows of a fixed duration that open within a day from a moment, rounded up to a multiple of the duration. */
const windowsOpeningFrom = (from: Millis, duration: Millis): ReadonlyArray<readonly [Millis, Millis]> => {
  const first = Math.ceil(from / duration) * duration
  return Array.from({ length: day / duration }, (_, i) => [first + i * duration, first + (i + 1) * duration])
}

/** The windows announced on a UTC day; the daily one opens at noon in New York on the next day. */
const windowsAnnouncedOn = (
  date: number,
  span: Span,
  announcedAhead: Millis,
): ReadonlyArray<readonly [Millis, Millis]> => {
  const { duration } = spans[span]
  if (duration === undefined) return [[easternOn(date + 1, 12), easternOn(date + 2, 12)]]
  return windowsOpeningFrom(date * day + announcedAhead, duration)
}

export interface UpDownOptions {
  readonly seed: number
  /** Windows shorter than a day that close earlier are omitted unless `keepSlug` accepts them. */
  readonly shortSince: Millis
  readonly keepSlug: ((slug: string) => boolean) | undefined
  /** Time from announcement to opening, up to a minute less; always a day for daily windows. */
  readonly announcedAhead: Millis
}

const maxJitter = minute

export const upDownEvents = (options: UpDownOptions): DraftSource => {
  const seed = seedOf(options.seed, "up or down")
  const isIncluded = (window: UpDownWindow) =>
    window.span === "daily" || window.closeAt >= options.shortSince || options.keepSlug?.(windowSlug(window)) === true
  const draftOf = (window: UpDownWindow): EventDraft => {
    const { coin, span, openAt } = window
    const announcedAhead = span === "daily" ? day : options.announcedAhead
    const createdAt = openAt - announcedAhead + (hash(seed, openAt, coin, spanNames.indexOf(span)) % maxJitter)
    return { createdAt, relevantUntil: openAt + 1, make: (at) => plan(seed, window, at) }
  }
  const draftsOf = (date: number, span: Span): ReadonlyArray<EventDraft> => {
    const allTooOld = (date + 2) * day < options.shortSince && options.keepSlug === undefined
    if (span !== "daily" && allTooOld) return []
    return windowsAnnouncedOn(date, span, options.announcedAhead).flatMap(([openAt, closeAt]) =>
      coins
        .map((_, coin): UpDownWindow => ({ coin, span, openAt, closeAt }))
        .filter(isIncluded)
        .map(draftOf),
    )
  }
  return { lookbackDays: 1, draftsOf: (date) => spanNames.flatMap((span) => draftsOf(date, span)) }
}
