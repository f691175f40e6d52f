import type { Tag } from "#src/catalogue/Tags.ts"

const mark = "01"

/** A cursor has integers only: the bytes of a text, behind a mark that keeps zeros at their beginning. */
const integerOf = (text: string): bigint => BigInt(`0x${mark}${Buffer.from(text).toString("hex")}`)
const bytesIn = (integer: bigint): Buffer => Buffer.from(integer.toString(16).slice(mark.length - 1), "hex")

/** Tags are in order of markets and then of their bytes. */
export const placeOfTag = ({ markets, slug }: Tag): ReadonlyArray<number | bigint> => [markets, integerOf(slug)]

export const tagsBehind = (tags: ReadonlyArray<Tag>, place: ReadonlyArray<bigint> | undefined): ReadonlyArray<Tag> => {
  const [markets, slug] = place ?? []
  if (markets === undefined || slug === undefined) return tags
  const last = bytesIn(slug)
  return tags.filter(
    (tag) =>
      tag.markets < markets || (tag.markets === Number(markets) && Buffer.compare(Buffer.from(tag.slug), last) > 0),
  )
}
