import { createHash } from "node:crypto"
import type { Lifetime, Loaded } from "./model.ts"

/** Maximum clock difference of two processes; answers from further in the future predate a clock that was set back. */
const skewMillis = 5000

const maxLeadMillis = 1000
const leadShare = 0.1
const refreshHits = 8

/** Approximate memory of an answer beside its bytes. */
const overheadBytes = 600

export interface Times {
  readonly storedAt: number
  readonly freshUntil: number
  readonly staleUntil: number
  readonly dataAt: number | undefined
  /** It expires with its window, so loading it earlier would not extend its life. */
  readonly isBounded: boolean
}

/** The times of an answer whose load took from `startedAt` to `now`. */
export const timesOf = (
  { freshFor, staleFor, until }: Lifetime,
  startedAt: number,
  now: number,
  { dataAt, until: known = Number.MAX_SAFE_INTEGER }: Pick<Loaded, "dataAt" | "until">,
): Times => {
  const end = Math.min(known, until === undefined ? Number.MAX_SAFE_INTEGER : until(startedAt))
  const freshUntil = Math.min(now + freshFor, end)
  return {
    storedAt: now,
    freshUntil,
    staleUntil: Math.min(freshUntil + staleFor, end),
    dataAt,
    isBounded: now + freshFor >= end,
  }
}

type Variant = Buffer | Promise<Buffer>

/** The bytes of an answer and their encoded variants. */
export class Answer {
  readonly bytes: Buffer
  /** Same for the same bytes; without quotes. */
  readonly tag: string
  readonly times: Times
  hits = 0
  readonly #variants = new Map<string, Variant>()
  #variantBytes = 0
  #listener: (bytes: number) => void = () => undefined

  constructor(bytes: Buffer, times: Times, tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)) {
    this.bytes = bytes
    this.times = times
    this.tag = tag
  }

  isFresh(now: number): boolean {
    return now < this.times.freshUntil && now >= this.times.storedAt - skewMillis
  }

  /** Whether it may be served when there is nothing better. */
  isUsable(now: number): boolean {
    return now < this.times.staleUntil && now >= this.times.storedAt - skewMillis
  }

  /** Whether it is requested so often that a newer one should be ready before it expires. */
  isDue(now: number): boolean {
    const { storedAt, freshUntil, isBounded } = this.times
    const lead = Math.min(maxLeadMillis, leadShare * (freshUntil - storedAt))
    return this.hits >= refreshHits && !isBounded && now >= freshUntil - lead
  }

  /** A variant that is already encoded. */
  ready(name: string): Buffer | undefined {
    const found = this.#variants.get(name)
    return Buffer.isBuffer(found) ? found : undefined
  }

  /** A variant of the bytes, encoded at most once; a promise while encoding. */
  variant(name: string, encode: (bytes: Buffer) => Promise<Buffer>): Variant {
    const found = this.#variants.get(name)
    if (found !== undefined) return found
    const encoding = encode(this.bytes).then(
      (encoded) => {
        this.#variants.set(name, encoded)
        this.#grow(encoded.length)
        return encoded
      },
      (failure) => {
        this.#variants.delete(name)
        throw failure
      },
    )
    this.#variants.set(name, encoding)
    return encoding
  }

  get size(): number {
    return this.bytes.length + this.#variantBytes + overheadBytes
  }

  #grow(bytes: number): void {
    this.#variantBytes += bytes
    this.#listener(bytes)
  }

  /** Sets the listener for growth of its variants. */
  onGrowth(listener: (bytes: number) => void): void {
    this.#listener = listener
  }
}

/** An answer and its origin. */
export interface CachedAnswer {
  readonly answer: Answer
  /** `load`: loaded for this request. `cache`: loaded before. `stale`: loaded before, and a newer one could not be loaded. */
  readonly from: "load" | "cache" | "stale"
}
