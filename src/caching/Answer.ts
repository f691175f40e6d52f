import { createHash } from "node:crypto"
import type { Lifetime, Loaded } from "./model.ts"

/** How far the clocks of two processes may be apart; what is from later than that was made before a clock was set back. */
const skewMillis = 5000

const longestLead = 1000
const leadShare = 0.1
const often = 8

/** What an answer costs beside its bytes, about. */
const overheadBytes = 600

export interface Times {
  readonly storedAt: number
  readonly freshUntil: number
  readonly staleUntil: number
  readonly dataAt: number | undefined
  /** Its fresh time ends because a window does: an answer made earlier would end at the same moment. */
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

/** An answer as bytes that can be sent again and again, and the forms of it that were made on the way. */
export class Answer {
  readonly bytes: Buffer
  /** The same for the same bytes; without quotes. */
  readonly tag: string
  readonly times: Times
  hits = 0
  readonly #variants = new Map<string, Variant>()
  #formBytes = 0
  #onGrowth: (bytes: number) => void = () => undefined

  constructor(bytes: Buffer, times: Times, tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)) {
    this.bytes = bytes
    this.times = times
    this.tag = tag
  }

  isFresh(now: number): boolean {
    return now < this.times.freshUntil && now >= this.times.storedAt - skewMillis
  }

  /** Whether it may be shown when there is nothing better. */
  isUsable(now: number): boolean {
    return now < this.times.staleUntil && now >= this.times.storedAt - skewMillis
  }

  /** Whether it is asked for so often that a newer one should be ready before it ends. */
  isDue(now: number): boolean {
    const { storedAt, freshUntil, isBounded } = this.times
    const lead = Math.min(longestLead, leadShare * (freshUntil - storedAt))
    return this.hits >= often && !isBounded && now >= freshUntil - lead
  }

  /** A form of the bytes that was made before. */
  ready(name: string): Buffer | undefined {
    const found = this.#variants.get(name)
    return Buffer.isBuffer(found) ? found : undefined
  }

  /** A form of the bytes, made at most once; a promise while it is being made. */
  variant(name: string, make: (bytes: Buffer) => Promise<Buffer>): Variant {
    const found = this.#variants.get(name)
    if (found !== undefined) return found
    const making = make(this.bytes).then(
      (made) => {
        this.#variants.set(name, made)
        this.#grow(made.length)
        return made
      },
      (failure) => {
        this.#variants.delete(name)
        throw failure
      },
    )
    this.#variants.set(name, making)
    return making
  }

  get size(): number {
    return this.bytes.length + this.#formBytes + overheadBytes
  }

  #grow(bytes: number): void {
    this.#formBytes += bytes
    this.#onGrowth(bytes)
  }

  /** Tells whoever keeps it when it grows. */
  keptBy(onGrowth: (bytes: number) => void): void {
    this.#onGrowth = onGrowth
  }
}
