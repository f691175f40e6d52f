import { Array as Arr, Clock, Context, Effect, Metric } from "effect"

/** A message or row of an upstream that could not be decoded. */
export interface UndecodableItem {
  readonly reason: string
  readonly item: unknown
}

/** Excerpt of an undecodable item, for operators. */
export interface UndecodableSample {
  /** Milliseconds. */
  readonly at: number
  readonly what: string
  readonly reason: string
  readonly sample: string
}

interface Recorded {
  readonly last: Map<string, UndecodableSample>
  /** Time of the last log line by type of item, and the number of items not logged since. */
  readonly lines: Map<string, { readonly at: number; readonly suppressed: number }>
}

/** One for the whole process, like metrics. */
export const UndecodableItems = Context.Reference<Recorded>("presage/upstream/UndecodableItems", {
  defaultValue: () => ({ last: new Map(), lines: new Map() }),
})

/** The last undecodable item of each upstream. */
export const lastUndecodable: Effect.Effect<ReadonlyMap<string, UndecodableSample>> = Effect.map(
  UndecodableItems,
  ({ last }) => last,
)

const skippedCounter = (source: string, what: string, reason: string) =>
  Metric.counter("presage_upstream_undecodable_total", {
    description: "Undecodable rows and messages of upstreams that were skipped",
    incremental: true,
    attributes: { source, what, reason },
  })

const lineEveryMillis = 10_000
const sampleLength = 300

const textOf = (item: unknown) => (typeof item === "string" ? item : (JSON.stringify(item) ?? ""))

/** Short, on one line, and storable: Postgres text accepts neither NUL nor lone surrogates. */
const excerpt = (text: string) =>
  text
    .slice(0, sampleLength)
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}|\p{Cs}/gu, "\uFFFD")

/** A metric label needs few values, so the decoder's message, which names the field, cannot be one. */
const classOf = ({ item }: UndecodableItem): string => {
  if (typeof item !== "string") return "wrong-shape"
  try {
    JSON.parse(item)
    return "wrong-shape"
  } catch {
    return "not-json"
  }
}

/** Counts undecodable items and logs a sample every ten seconds at most. */
export const skip = (source: string, what: string, items: ReadonlyArray<UndecodableItem>) => {
  const [first] = items
  return first === undefined ? Effect.void : record(source, what, first, items)
}

const record = (source: string, what: string, first: UndecodableItem, items: ReadonlyArray<UndecodableItem>) =>
  Effect.gen(function* () {
    for (const [reason, those] of Object.entries(Arr.groupBy(items, classOf))) {
      yield* Metric.update(skippedCounter(source, what, reason), those.length)
    }
    const { last, lines } = yield* UndecodableItems
    const at = yield* Clock.currentTimeMillis
    const [reason, sample] = [excerpt(first.reason), excerpt(textOf(first.item))]
    last.set(source, { at, what, reason, sample })

    const key = `${source} ${what}`
    const before = lines.get(key)
    if (before !== undefined && Math.abs(at - before.at) < lineEveryMillis) {
      lines.set(key, { ...before, suppressed: before.suppressed + items.length })
      return
    }
    lines.set(key, { at, suppressed: 0 })
    const earlier = before === undefined || before.suppressed === 0 ? "" : ` and ${before.suppressed} earlier`
    yield* Effect.logWarning(`${source}: skipped ${items.length} ${what}(s)${earlier}: ${reason}`).pipe(
      Effect.annotateLogs({ sample }),
    )
  })
