import { hash, seedOf } from "../../../random.ts"
import type { EventPlan, Millis } from "../../model.ts"
import { coins } from "../../oracle.ts"
import { cryptoFees, roundedWeight } from "../chance.ts"
import type { Draft, Source } from "../draft.ts"
import { day, easternOn, hour, minute, second } from "../eastern.ts"
import { cryptoSeriesFor, type Recurrence } from "../series.ts"
import { tagged } from "../tags.ts"
import { type CoinNames, coinNames, coinShare, type Span } from "./names.ts"
import { slugOf, titleOf } from "./titles.ts"

interface SpanFacts {
  readonly recurrence: Recurrence
  readonly by: "twap60" | "spot"
  readonly weight: number
  /** Undefined for the day, which lasts from noon to noon in New York and so now and then 23 or 25 hours. */
  readonly lasts: Millis | undefined
}

const spans: Readonly<Record<Span, SpanFacts>> = {
  "5m": { recurrence: "5m", by: "twap60", weight: 100, lasts: 5 * minute },
  "15m": { recurrence: "15m", by: "twap60", weight: 80, lasts: 15 * minute },
  "1h": { recurrence: "hourly", by: "spot", weight: 60, lasts: hour },
  "4h": { recurrence: "4h", by: "twap60", weight: 25, lasts: 4 * hour },
  daily: { recurrence: "daily", by: "spot", weight: 50, lasts: undefined },
}

const spanNames = Object.keys(spans) as ReadonlyArray<Span>

export interface Window {
  readonly coin: number
  readonly span: Span
  readonly openAt: Millis
  readonly closeAt: Millis
}

const sourceText = ({ by }: SpanFacts, names: CoinNames): string =>
  by === "twap60"
    ? `The resolution source is the Chainlink data stream ${names.short.toUpperCase()}/USD, averaged over the last 60 seconds.`
    : `The resolution source is the ${names.short.toUpperCase()}/USDT candle that opens and closes with this window.`

const plan = (seed: number, window: Window, createdAt: Millis): EventPlan => {
  const { coin, span, openAt, closeAt } = window
  const facts = spans[span]
  const names = coinNames[coin] as CoinNames
  const slug = slugOf(window)
  const title = titleOf(window)
  return {
    slug,
    title,
    description: `This market will resolve to "Up" if the price of ${names.title} at the end of the window is ${span === "daily" ? "above" : "greater than or equal to"} the price at its beginning, ${span === "daily" ? "to 50-50 if they are equal, " : ""}and to "Down" otherwise. ${sourceText(facts, names)}`,
    category: "crypto",
    tags: tagged("crypto", names.tag, "up-or-down", span, "hide-from-new"),
    series: cryptoSeriesFor(coin, facts.recurrence),
    game: undefined,
    createdAt,
    startsAt: openAt,
    endsAt: closeAt,
    negRisk: false,
    recurrence: facts.recurrence,
    markets: [
      {
        slug,
        question: title,
        outcomes: ["Up", "Down"],
        groupItemTitle: "",
        rule: { kind: "updown", coin, openAt, closeAt, by: facts.by, tie: span === "daily" ? "half" : "up" },
        endsAt: closeAt,
        resolvesAt: closeAt + 20 * second + (hash(seed, closeAt, coin, facts.weight) % (100 * second + 1)),
        weight: roundedWeight(facts.weight * (coinShare[coin] as number)),
        startPrice: 500,
        fees: cryptoFees,
        sportsMarketType: undefined,
        line: undefined,
        tickSize: "0.01",
      },
    ],
  }
}

/** The short windows that open within a day from some moment, which is a multiple of how long they last or lies between two. */
const windowsOpeningFrom = (from: Millis, lasts: Millis): ReadonlyArray<readonly [Millis, Millis]> => {
  const first = Math.ceil(from / lasts) * lasts
  return Array.from({ length: day / lasts }, (_, i) => [first + i * lasts, first + (i + 1) * lasts])
}

/** The windows that are announced on a UTC day; of the day-long ones, the one that opens at noon in New York on the next. */
const windowsAnnouncedOn = (date: number, span: Span, announced: Millis): ReadonlyArray<readonly [Millis, Millis]> => {
  const { lasts } = spans[span]
  if (lasts === undefined) return [[easternOn(date + 1, 12), easternOn(date + 2, 12)]]
  return windowsOpeningFrom(date * day + announced, lasts)
}

export interface UpDownOptions {
  readonly seed: number
  /** Windows shorter than a day that close before this are left out, unless wanted. */
  readonly shortSince: Millis
  readonly wanted: ((slug: string) => boolean) | undefined
  /** Before a window opens, and up to a minute less; a day for those that last one. */
  readonly announced: Millis
}

const scatter = minute

export const upDownEvents = (options: UpDownOptions): Source => {
  const seed = seedOf(options.seed, "up or down")
  const isPart = (window: Window) =>
    window.span === "daily" || window.closeAt >= options.shortSince || options.wanted?.(slugOf(window)) === true
  const draftOf = (window: Window): Draft => {
    const { coin, span, openAt } = window
    const announced = span === "daily" ? day : options.announced
    const createdAt = openAt - announced + (hash(seed, openAt, coin, spanNames.indexOf(span)) % scatter)
    return { createdAt, worthUntil: openAt + 1, make: (at) => plan(seed, window, at) }
  }
  const draftsOf = (date: number, span: Span): ReadonlyArray<Draft> => {
    const allTooOld = (date + 2) * day < options.shortSince && options.wanted === undefined
    if (span !== "daily" && allTooOld) return []
    return windowsAnnouncedOn(date, span, options.announced).flatMap(([openAt, closeAt]) =>
      coins
        .map((_, coin): Window => ({ coin, span, openAt, closeAt }))
        .filter(isPart)
        .map(draftOf),
    )
  }
  return { lookback: 1, draftsOf: (date) => spanNames.flatMap((span) => draftsOf(date, span)) }
}
