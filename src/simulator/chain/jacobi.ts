/**
 * The Jacobi symbol of numbers of up to 256 bits, over one fixed modulus. Binary: subtractions and shifts of 30-bit limbs
 * in 32-bit integers, which take a fraction of the time of big integers.
 */

const limbs = 9
const limbBits = 30
const mask = 2 ** limbBits - 1

const quarters = new BigUint64Array(4)
const halves = new Uint32Array(quarters.buffer)

const load = (to: Int32Array, value: bigint): void => {
  for (let i = 0; i < 4; i++) quarters[i] = value >> BigInt(64 * i)
  for (let i = 0; i < limbs; i++) {
    const [at, shift] = [(i * limbBits) >> 5, (i * limbBits) & 31]
    const high = shift === 0 ? 0 : (halves[at + 1] ?? 0) << (32 - shift)
    to[i] = (((halves[at] ?? 0) >>> shift) | high) & mask
  }
}

const isLess = (one: Int32Array, other: Int32Array, length: number): boolean => {
  let i = length - 1
  while (i > 0 && one[i] === other[i]) i--
  return (one[i] as number) < (other[i] as number)
}

/** Subtracts, drops the zero bits at the end, fewer than a limb has, and returns how many those are. */
const subtractAndShift = (from: Int32Array, other: Int32Array, length: number): number => {
  let difference = (from[0] as number) - (other[0] as number)
  let limb = difference & mask
  const zeros = limb === 0 ? 0 : 31 - Math.clz32(limb & -limb)
  const rest = limbBits - zeros
  for (let i = 1; i < length; i++) {
    difference = (difference >> limbBits) + (from[i] as number) - (other[i] as number)
    const next = difference & mask
    from[i - 1] = (limb >>> zeros) | ((next << rest) & mask)
    limb = next
  }
  from[length - 1] = limb >>> zeros
  return zeros
}

const none = new Int32Array(limbs)

const isZero = (value: Int32Array, length: number): boolean => {
  for (let i = 0; i < length; i++) if (value[i] !== 0) return false
  return true
}

/** 1 for squares modulo an odd prime, -1 for other numbers, 0 for its multiples. */
export const jacobiOver = (modulus: bigint): ((value: bigint) => -1 | 0 | 1) => {
  const full = new Int32Array(limbs)
  load(full, modulus)
  let one = new Int32Array(limbs)
  let other = new Int32Array(limbs)

  /** Whether dropping zero bits from one changes the sign. */
  const negatesShift = (zeros: number) => {
    const residue = (other[0] as number) & 7
    return (zeros & 1) === 1 && (residue === 3 || residue === 5)
  }

  return (value) => {
    load(one, value)
    other.set(full)
    let length = limbs
    let isNegative = negatesShift(subtractAndShift(one, none, length))
    while (!isZero(one, length)) {
      while (one[0] === 0) {
        // Two to the 30th is a square, so the sign stays.
        one.copyWithin(0, 1, length)
        one[length - 1] = 0
        if (negatesShift(subtractAndShift(one, none, length))) isNegative = !isNegative
      }
      while (length > 1 && one[length - 1] === 0 && other[length - 1] === 0) length--
      if (isLess(one, other, length)) {
        const swapped = one
        one = other
        other = swapped
        if (((one[0] as number) & (other[0] as number) & 3) === 3) isNegative = !isNegative
      }
      if (negatesShift(subtractAndShift(one, other, length))) isNegative = !isNegative
    }
    const isCoprime = length === 1 && other[0] === 1
    if (!isCoprime) return 0
    return isNegative ? -1 : 1
  }
}
