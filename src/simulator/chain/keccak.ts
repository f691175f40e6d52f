/**
 * Keccak-256, as code that is written for WebAssembly when this file loads: it has 64-bit integers, which makes it ten
 * times as fast as JavaScript, and ids and order hashes are most of what the chain computes.
 */

const rate = 136
const stateBytes = 200
const rounds = 24
const constantsAt = 256

const i32 = 0x7f
const i64 = 0x7e
const op = { loop: 0x03, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, load: 0x29, store: 0x37, i32Const: 0x41 } as const
const math = { i64Const: 0x42, lessI32: 0x48, addI32: 0x6a, and: 0x83, xor: 0x85, rotl: 0x89 } as const

type Code = ReadonlyArray<number>

/** LEB128 of a whole number below 2¹³, which is the same with and without a sign. */
const leb = (value: number): Code => (value < 64 ? [value] : [(value & 0x7f) | 0x80, value >> 7])

const get = (local: number): Code => [op.get, ...leb(local)]
const set = (local: number): Code => [op.set, ...leb(local)]
const rotl = (bits: number): Code => (bits === 0 ? [] : [math.i64Const, ...leb(bits), math.rotl])
const [allOnes, aligned8] = [0x7f, 3]
const not: Code = [math.i64Const, allOnes, math.xor]

const constantAddress = 0
const lane = (x: number, y: number) => 1 + (x % 5) + 5 * (y % 5)
const moved = (x: number, y: number) => 25 + lane(x, y)
const parity = (x: number) => 51 + (x % 5)
const difference = 56

const five = [0, 1, 2, 3, 4]
const overLanes = (code: (x: number, y: number) => Code): Code => five.flatMap((y) => five.flatMap((x) => code(x, y)))

/** How far each lane is rotated, by its place. */
const rotations = (() => {
  const found = new Map<number, number>([[lane(0, 0), 0]])
  let [x, y] = [1, 0]
  for (let t = 1; t <= 24; t++) {
    found.set(lane(x, y), ((t * (t + 1)) / 2) % 64)
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return found
})()

const round: Code = [
  ...five.flatMap((x) => [
    ...get(lane(x, 0)),
    ...[1, 2, 3, 4].flatMap((y) => [...get(lane(x, y)), math.xor]),
    ...set(parity(x)),
  ]),
  ...five.flatMap((x) => [
    ...[...get(parity(x + 4)), ...get(parity(x + 1)), ...rotl(1), math.xor, ...set(difference)],
    ...five.flatMap((y) => [...get(lane(x, y)), ...get(difference), math.xor, ...set(lane(x, y))]),
  ]),
  ...overLanes((x, y) => [
    ...get(lane(x, y)),
    ...rotl(rotations.get(lane(x, y)) ?? 0),
    ...set(moved(y, 2 * x + 3 * y)),
  ]),
  ...overLanes((x, y) => [
    ...[...get(moved(x, y)), ...get(moved(x + 1, y)), ...not, ...get(moved(x + 2, y)), math.and, math.xor],
    ...set(lane(x, y)),
  ]),
  ...[...get(lane(0, 0)), ...get(constantAddress), op.load, aligned8, 0, math.xor, ...set(lane(0, 0))],
]

const permutation: Code = [
  ...[2, 1, i32, difference, i64],
  ...overLanes((x, y) => [op.i32Const, 0, op.load, aligned8, ...leb(8 * (lane(x, y) - 1)), ...set(lane(x, y))]),
  ...[op.i32Const, ...leb(constantsAt), ...set(constantAddress), op.loop, 0x40],
  ...round,
  ...[...get(constantAddress), op.i32Const, 8, math.addI32, ...set(constantAddress)],
  ...[...get(constantAddress), op.i32Const, ...leb(constantsAt + 8 * rounds), math.lessI32, op.brIf, 0, op.end],
  ...overLanes((x, y) => [op.i32Const, 0, ...get(lane(x, y)), op.store, aligned8, ...leb(8 * (lane(x, y) - 1))]),
  op.end,
]

const name = (text: string): Code => [text.length, ...Buffer.from(text)]
const section = (id: number, content: Code): Code => [id, ...leb(content.length), ...content]

/** One function without parameters and one page of memory, both exported. */
const program = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 0, 0]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(7, [2, ...name("memory"), 2, 0, ...name("permute"), 0, 0]),
  ...section(10, [1, ...leb(permutation.length), ...permutation]),
])

/** The part that is used here; its types are those of browsers. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}
const { memory, permute } = new WebAssembly.Instance(new WebAssembly.Module(program)).exports as {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly permute: () => void
}
const state = Buffer.from(memory.buffer, 0, stateBytes)

/** The round constants, from the shift register that defines them. */
const constants = new DataView(memory.buffer, constantsAt)
for (let each = 0, register = 1; each < rounds; each++) {
  let constant = 0n
  for (let bit = 0; bit < 7; bit++) {
    if ((register & 1) === 1) constant |= 1n << BigInt(2 ** bit - 1)
    register = (register << 1) ^ ((register >> 7) * 0x171)
  }
  constants.setBigUint64(8 * each, constant, true)
}

const absorb = (bytes: Uint8Array): void => {
  for (let i = 0; i < bytes.length; i++) state[i] = (state[i] as number) ^ (bytes[i] as number)
}

/** The hash of bytes: 64 hexadecimal digits, without prefix. */
export const keccak256 = (bytes: Uint8Array): string => {
  state.fill(0)
  let from = 0
  for (; bytes.length - from >= rate; from += rate) {
    absorb(bytes.subarray(from, from + rate))
    permute()
  }
  absorb(bytes.subarray(from))
  state[bytes.length - from] = (state[bytes.length - from] as number) ^ 1
  state[rate - 1] = (state[rate - 1] as number) ^ 0x80
  permute()
  return state.toString("hex", 0, 32)
}

/** The hash of what hexadecimal digits, without prefix, stand for. */
export const keccakOfHex = (digits: string): string => keccak256(Buffer.from(digits, "hex"))
