import type { Token } from "../world/Venue.ts"
import { paddedAddress, word } from "./abi.ts"
import { type Exchange, exchangeOf } from "./contracts.ts"
import { keccak256, keccakBytes, keccakOfHex } from "./keccak.ts"

/** An order as its owner signed it. */
export interface Order {
  readonly salt: number
  readonly maker: string
  readonly signer: string
  readonly token: Token
  readonly makerAmount: number
  readonly takerAmount: number
  readonly side: number
  readonly signatureType: number
}

/** Orders of the first exchanges, for any taker and without an expiration or nonce. */
export interface FirstOrder extends Order {
  readonly feeRateBps: number
}

/** Orders of the later exchanges, without metadata. */
export interface LaterOrder extends Order {
  readonly timestamp: number
  /** 64 digits; zeros for none. */
  readonly builder: string
}

const polygon = 137

const hashText = (text: string): string => keccak256(Buffer.from(text))
const hashWords = (...words: ReadonlyArray<string>): string => keccakOfHex(words.join(""))

const domainType = hashText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")

const domains = new Map<Exchange, Buffer>()

const domainOf = (exchange: Exchange): Buffer => {
  const known = domains.get(exchange)
  if (known !== undefined) return known
  const [name, version] = ["Polymarket CTF Exchange", String(exchange.generation)].map(hashText) as [string, string]
  const domain = Buffer.from(
    hashWords(domainType, name, version, word(polygon), paddedAddress(exchange.address)),
    "hex",
  )
  domains.set(exchange, domain)
  return domain
}

/**
 * The words of a struct, written in place: joining and parsing digits would take longer than hashing them. Words that are not
 * written stay zero.
 */
class Struct {
  readonly #bytes: Buffer
  readonly #view: DataView

  constructor(type: string, fields: number) {
    this.#bytes = Buffer.alloc(32 * (fields + 1))
    this.#view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length)
    this.#bytes.write(hashText(type), "hex")
  }

  /** A whole number up to 2⁵³. */
  number(field: number, value: number): void {
    const end = 32 * (field + 2)
    this.#view.setUint32(end - 8, Math.floor(value / 0x100000000))
    this.#view.setUint32(end - 4, value % 0x100000000)
  }

  /** 40 digits after 0x. */
  address(field: number, value: string): void {
    this.#bytes.write(value.slice(2), 32 * (field + 1) + 12, "hex")
  }

  /** 64 digits. */
  word(field: number, value: string): void {
    this.#bytes.write(value, 32 * (field + 1), "hex")
  }

  hash(): Uint8Array {
    return keccakBytes(this.#bytes)
  }
}

const first = new Struct(
  "Order(uint256 salt,address maker,address signer,address taker,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint256 expiration,uint256 nonce,uint256 feeRateBps,uint8 side,uint8 signatureType)",
  12,
)
const later = new Struct(
  "Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)",
  11,
)

const signed = Buffer.alloc(66)
signed.write("1901", "hex")

const signedHash = (exchange: Exchange, content: Uint8Array): string => {
  signed.set(domainOf(exchange), 2)
  signed.set(content, 34)
  return `0x${keccak256(signed)}`
}

/** The EIP-712 hash of an order on a first exchange, with 0x. */
export const firstOrderHash = (order: FirstOrder): string => {
  first.number(0, order.salt)
  first.address(1, order.maker)
  first.address(2, order.signer)
  first.word(4, order.token.hex)
  first.number(5, order.makerAmount)
  first.number(6, order.takerAmount)
  first.number(9, order.feeRateBps)
  first.number(10, order.side)
  first.number(11, order.signatureType)
  return signedHash(exchangeOf(order.token.market, false), first.hash())
}

/** The EIP-712 hash of an order on a later exchange, with 0x. */
export const laterOrderHash = (order: LaterOrder): string => {
  later.number(0, order.salt)
  later.address(1, order.maker)
  later.address(2, order.signer)
  later.word(3, order.token.hex)
  later.number(4, order.makerAmount)
  later.number(5, order.takerAmount)
  later.number(6, order.side)
  later.number(7, order.signatureType)
  later.number(8, order.timestamp)
  later.word(10, order.builder)
  return signedHash(exchangeOf(order.token.market, true), later.hash())
}
