import type { Token } from "../world/Venue.ts"
import { paddedAddress, word, zeroWord } from "./abi.ts"
import { type Exchange, exchangeOf } from "./contracts.ts"
import { keccak256, keccakOfHex } from "./keccak.ts"

/** An order of the later exchanges, as its owner signed it. */
export interface Order {
  readonly salt: number
  readonly maker: string
  readonly signer: string
  readonly token: Token
  readonly makerAmount: number
  readonly takerAmount: number
  readonly side: number
  readonly signatureType: number
  readonly timestamp: number
  /** 64 digits; zeros for none. */
  readonly builder: string
}

const polygon = 137

const hashText = (text: string): string => keccak256(Buffer.from(text))
const hashWords = (...words: ReadonlyArray<string>): string => keccakOfHex(words.join(""))

const domainType = hashText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
const orderType = hashText(
  "Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)",
)

const domains = new Map<Exchange, string>()

const domainOf = (exchange: Exchange): string => {
  const known = domains.get(exchange)
  if (known !== undefined) return known
  const [name, version] = ["Polymarket CTF Exchange", String(exchange.generation)].map(hashText) as [string, string]
  const domain = hashWords(domainType, name, version, word(polygon), paddedAddress(exchange.address))
  domains.set(exchange, domain)
  return domain
}

/** The EIP-712 hash of an order without metadata, with 0x. */
export const orderHash = (order: Order): string => {
  const content = hashWords(
    orderType,
    word(order.salt),
    paddedAddress(order.maker),
    paddedAddress(order.signer),
    order.token.hex,
    word(order.makerAmount),
    word(order.takerAmount),
    word(order.side),
    word(order.signatureType),
    word(order.timestamp),
    zeroWord,
    order.builder,
  )
  return `0x${keccakOfHex(`1901${domainOf(exchangeOf(order.token.market, true))}${content}`)}`
}
