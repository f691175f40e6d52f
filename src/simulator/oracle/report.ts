/** The contents of a v3 report. Amounts are non-negative, with 18 decimals. */
interface PriceReport {
  /** 32 bytes in 0x hexadecimal, like all words here. */
  readonly feedId: string
  readonly validFrom: number
  readonly observedAt: number
  readonly nativeFee: bigint
  readonly linkFee: bigint
  readonly expiresAt: number
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

/** Signatures of the report. They are not verified here, but decoders parse them. */
interface Attestation {
  readonly context: readonly [string, string, string]
  readonly rs: ReadonlyArray<string>
  readonly ss: ReadonlyArray<string>
  readonly vs: string
}

const word = (value: number | bigint) => value.toString(16).padStart(64, "0")
const bare = (hex: string) => hex.slice(2)

const wordBytes = 32
const headWords = 7
const blobWords = 9
const blobAt = headWords * wordBytes
const rsAt = blobAt + (1 + blobWords) * wordBytes

const blob = (report: PriceReport) =>
  bare(report.feedId) +
  word(report.validFrom) +
  word(report.observedAt) +
  word(report.nativeFee) +
  word(report.linkFee) +
  word(report.expiresAt) +
  word(report.price) +
  word(report.bid) +
  word(report.ask)

const list = (words: ReadonlyArray<string>) => word(words.length) + words.map(bare).join("")

/**
 * The ABI encoding of (bytes32[3], bytes, bytes32[], bytes32[], bytes32). Every part but the signatures has a fixed
 * length, so the words are concatenated: a generic encoder is far too slow for pages of a thousand reports.
 */
export const encodeReport = (report: PriceReport, { context, rs, ss, vs }: Attestation): string => {
  const ssAt = rsAt + (1 + rs.length) * wordBytes
  const head = context.map(bare).join("") + word(blobAt) + word(rsAt) + word(ssAt) + bare(vs)
  return `0x${head}${word(blobWords * wordBytes)}${blob(report)}${list(rs)}${list(ss)}`
}
