export type Encoding = "br" | "zstd" | "gzip"
export type Acceptable = Encoding | "identity"
export type Choice = Acceptable | "none"

/** In the order in which we like them, where the client likes several as much. */
const known: ReadonlyArray<Encoding> = ["br", "zstd", "gzip"]

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** How much a client wants it, 0 to 1; what is not written as it should be is not wanted. */
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
 * What to send to a client with this `Accept-Encoding`: what it likes best, and rather compressed than not. `isSmall` is
 * of what is not worth compressing unless the client takes nothing else. `none`: it takes nothing that we have.
 */
export const chooseEncoding = (header: string | undefined, isSmall = false): Choice => {
  if (header === undefined) return "identity"
  const wanted = weights(header)
  const others = wanted.get("*")
  let best: Encoding | undefined
  for (const each of known) {
    if ((wanted.get(each) ?? 0) > (best === undefined ? 0 : (wanted.get(best) ?? 0))) best = each
  }
  // Whoever takes anything surely takes what is oldest.
  if (best === undefined && (others ?? 0) > 0 && !wanted.has("gzip")) best = "gzip"
  const plain = wanted.get("identity") ?? (others === 0 ? 0 : undefined)
  if (best === undefined) return plain === 0 ? "none" : "identity"
  if (plain === 0) return best
  return isSmall || (plain ?? 0) > (wanted.get(best) ?? others ?? 0) ? "identity" : best
}
