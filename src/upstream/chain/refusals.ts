/** What a node's error asks of the client. */
export type Meaning =
  /** More blocks, logs or bytes than the node returns at once: ask for less. */
  | "too-wide"
  /** More addresses in a filter than the node accepts. */
  | "too-many-addresses"
  /** The node gave up after a while: ask for less. */
  | "too-slow"
  /** More calls in one request than the node accepts. */
  | "batch-too-large"
  /** The node has not reached the requested blocks: ask again. */
  | "lagging"
  /** The node has deleted the requested blocks, or the plan does not include them. */
  | "pruned"
  /** Too many requests: wait. */
  | "rate-limited"
  /** The node behind a balancer is out of order: ask again. */
  | "unhealthy"

export interface NodeRefusal {
  readonly meaning: Meaning
  /** Largest range that the node accepts. */
  readonly maxBlocks?: number
  /** Width of a range that would work here. */
  readonly fittingBlocks?: number
  /** Largest batch that the node accepts. */
  readonly maxCalls?: number
}

interface Wording {
  readonly meaning: Meaning
  /** The groups `limit`, `first` and `last`, and `calls` capture what the node says about the right size. */
  readonly words: RegExp
}

const wordings: ReadonlyArray<Wording> = [
  { meaning: "too-many-addresses", words: /(less|fewer|too many|number of|up to \d+) addresses/i },
  { meaning: "batch-too-large", words: /batch of more than (?<calls>\d+) requests/i },
  { meaning: "batch-too-large", words: /too many (rpc )?calls in batch/i },
  { meaning: "batch-too-large", words: /batch (is )?too (large|big)|batch (size|limit)\b.*exceed/i },
  { meaning: "lagging", words: /invalid block range params/i },
  { meaning: "lagging", words: /beyond (the )?current head/i },
  { meaning: "pruned", words: /history has been pruned|pruned history/i },
  // A plan without old blocks, not a node that has lost them: for this client it is the same.
  { meaning: "pruned", words: /\barchive\b/i },
  { meaning: "rate-limited", words: /rate limit|too many requests|request rate|compute units|throughput|capacity/i },
  { meaning: "unhealthy", words: /no backend is currently healthy/i },
  { meaning: "too-slow", words: /(request|query|execution) time(d out|out)/i },
  // A plan's limit holds everywhere. Otherwise widths that fit come before limits, because some messages have both.
  { meaning: "too-wide", words: /plan, you can make \w+ requests with up to a (?<limit>[\d,]+) block range/i },
  { meaning: "too-wide", words: /block range( should work:)? \[(?<first>0x[\da-f]+|\d+), ?(?<last>0x[\da-f]+|\d+)\]/i },
  { meaning: "too-wide", words: /retry with the range (?<first>\d+)-(?<last>\d+)/i },
  { meaning: "too-wide", words: /max(imum)?( allowed)?( block)? range:? (of )?(?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /range \d+ exceeds limit of (?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /range limit (of )?(?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /(up|limited) to (a )?(?<limit>[\d,]+k?) (block )?range/i },
  { meaning: "too-wide", words: /ranges? over (?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /blocks distance: (?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /range greater than (?<limit>[\d,]+) max/i },
  { meaning: "too-wide", words: /range allowed for your plan \(\d+ > (?<limit>[\d,]+)\)/i },
  { meaning: "too-wide", words: /max is (?<limit>[\d,]+k?) blocks/i },
  { meaning: "too-wide", words: /(at most|requested blocks is) (?<limit>[\d,]+)/i },
  { meaning: "too-wide", words: /block range|range (is )?too|range threshold exceeded|exceeded max allowed/i },
  { meaning: "too-wide", words: /max results|more than [\d,]+ (results|logs)|too many (results|logs)/i },
  { meaning: "too-wide", words: /response (is )?too (large|big)|response size|size exceeded/i },
]

/** Meanings of codes whose wording is unknown. */
const codes: Readonly<Record<number, Meaning>> = {
  31: "batch-too-large",
  35: "too-wide",
  429: "rate-limited",
  4444: "pruned",
  [-32701]: "too-wide",
}

const countOf = (text: string) => Number(text.replace(/,|k$/gi, "")) * (/k$/i.test(text) ? 1_000 : 1)

const sizesIn = ({ limit, first, last, calls }: Readonly<Record<string, string | undefined>>) => ({
  ...(limit === undefined ? {} : { maxBlocks: countOf(limit) }),
  ...(first === undefined || last === undefined ? {} : { fittingBlocks: Number(last) - Number(first) + 1 }),
  ...(calls === undefined ? {} : { maxCalls: countOf(calls) }),
})

/** Understands a node's error; undefined if it is an error of another kind. */
export const understand = (code: number | undefined, detail: string): NodeRefusal | undefined => {
  for (const { meaning, words } of wordings) {
    const match = words.exec(detail)
    if (match !== null) return { meaning, ...sizesIn(match.groups ?? {}) }
  }
  const meaning = code === undefined ? undefined : codes[code]
  return meaning === undefined ? undefined : { meaning }
}

/** Whether an error says that the node has no such block. */
export const saysUnknownBlock = (detail: string): boolean =>
  /unknown block|block not found|header not found|unknown header/i.test(detail)

/** Nodes and providers word this differently. */
const stateWords =
  /missing trie node|(state|block|data).*(not available|unavailable|pruned|not found)|historical state/i

/** Whether an error says that the node lacks the state of a block. */
export const saysStateUnavailable = (detail: string): boolean => saysUnknownBlock(detail) || stateWords.test(detail)
