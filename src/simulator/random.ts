/**
 * Randomness as a pure function of integers, identical on every machine: only 32-bit integer operations, which no
 * floating-point unit rounds differently.
 */

const rotl = (x: number, r: number) => (x << r) | (x >>> (32 - r))

const absorb = (h: number, part: number) => {
  let k = Math.imul(part | 0, 0xcc9e2d51)
  k = Math.imul(rotl(k, 15), 0x1b873593)
  return (Math.imul(rotl(h ^ k, 13), 5) + 0xe6546b64) | 0
}

const finish = (h: number) => {
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

const absorbBoth = (seed: number, a: number, b: number) => {
  let h = absorb(seed, a)
  if (a > 0xffffffff) h = absorb(h, Math.floor(a / 0x100000000))
  h = absorb(h, b)
  return b > 0xffffffff ? absorb(h, Math.floor(b / 0x100000000)) : h
}

/** A number in [0, 2³²) that depends on every part. Parts above 32 bits contribute both halves. */
export const hash = (seed: number, a: number, b = 0, c = 0): number => finish(absorb(absorbBoth(seed, a, b), c))

/** Derives a seed from a name, so that streams never coincide. Renaming one changes the bytes of every world. */
export const seedOf = (seed: number, name: string): number => {
  let h = seed | 0
  for (let i = 0; i < name.length; i++) h = absorb(h, name.charCodeAt(i))
  return finish(h)
}

/** Hashes are most of what the chain writes: hex via bytes is several times as fast as digit by digit. */
const scratch = Buffer.alloc(96)
const words = new DataView(scratch.buffer, scratch.byteOffset, scratch.length)

const fillScratch = (bytes: number, seed: number, a: number, b: number) => {
  const absorbed = absorbBoth(seed, a, b)
  for (let at = 0; at < bytes; at += 4) words.setUint32(at, finish(absorb(absorbed, at / 4 + 1)))
}

/** `bytes` of hexadecimal digits (a multiple of 4, at most 96) without prefix, different for every (seed, a, b). */
export const hexOf = (bytes: number, seed: number, a: number, b = 0): string => {
  fillScratch(bytes, seed, a, b)
  return scratch.toString("hex", 0, bytes)
}

/** The same, followed by the last 32 bits of `end` as four bytes. */
export const hexEnding = (end: number, bytes: number, seed: number, a: number, b = 0): string => {
  fillScratch(bytes, seed, a, b)
  words.setUint32(bytes, end)
  return scratch.toString("hex", 0, bytes + 4)
}

/** A sequence of random numbers (sfc32) for consecutive simulation steps. */
export class Dice {
  #a: number
  #b: number
  #c: number
  #d = 1

  constructor(seed: number, stream = 0) {
    this.#a = hash(seed, stream, 1)
    this.#b = hash(seed, stream, 2)
    this.#c = hash(seed, stream, 3)
    for (let i = 0; i < 12; i++) this.next()
  }

  /** In [0, 2³²). */
  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (rotl(this.#c, 21) + t) | 0
    return t >>> 0
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 0x100000000
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor(this.unit() * n)
  }

  /** A whole number in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<A>(list: ReadonlyArray<A>): A {
    return list[this.below(list.length)] as A
  }

  /** Distinct entries of a list, in the order drawn. */
  sample<A>(list: ReadonlyArray<A>, count: number): ReadonlyArray<A> {
    const left = [...list]
    return Array.from({ length: Math.min(count, list.length) }, () => left.splice(this.below(left.length), 1)[0] as A)
  }

  /** A power law between low and high: mostly small values, rarely large ones. */
  skewed(low: number, high: number): number {
    const u = this.unit()
    return low + Math.floor((high - low) * u * u * u * u)
  }
}
