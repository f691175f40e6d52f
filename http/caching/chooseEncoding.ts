export type Encoding = "br" | "zstd" | "gzip"
export type Acceptable = Encoding | "identity"
export type Choice = Acceptable | "none"

/** In order of preference among equal weights. */
const known: ReadonlyArray<Encoding> = ["br", "zstd", "gzip"]

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** Weight from 0 to 1; a malformed weight is 0. */
const weightOf = (parameters: ReadonlyArray<string>): number => {
  for (const parameter of parameters) {
    const text = parameter.trim()
    if (/^q\s*=/i.test(text)) return Number(weight.exec(text)?.[1] ?? 0)
  }
  return 1
}

const weights = (header: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";")
    const coding = name
      .trim()
      .toLowerCase()
      .replace(/^x-gzip$/, "gzip")
    if (coding !== "" && !found.has(coding)) found.set(coding, weightOf(parameters))
  }
  return found
}

/**
 * Chooses the encoding for this `Accept-Encoding`: the highest weight, compressed rather than not. A small answer is
 * compressed only if the client accepts nothing else. `none`: the client accepts no available encoding.
 */
export const chooseEncoding = (header: string | undefined, isSmall = false): Choice => {
  if (header === undefined) return "identity"
  const accepted = weights(header)
  const others = accepted.get("*")
  let best: Encoding | undefined
  for (const each of known) {
    if ((accepted.get(each) ?? 0) > (best === undefined ? 0 : (accepted.get(best) ?? 0))) best = each
  }
  // A client that accepts anything surely supports the oldest encoding.
  if (best === undefined && (others ?? 0) > 0 && !accepted.has("gzip")) best = "gzip"
  const plain = accepted.get("identity") ?? (others === 0 ? 0 : undefined)
  if (best === undefined) return plain === 0 ? "none" : "identity"
  if (plain === 0) return best
  return isSmall || (plain ?? 0) > (accepted.get(best) ?? others ?? 0) ? "identity" : best
}
