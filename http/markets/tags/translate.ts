import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import type { Tag } from "#src/catalogue/Tags.ts"
import type { TagPlace } from "#src/markets/TagMarkets.ts"
import { suggestionFor } from "../../input/unknownName.ts"
import type { Unavailable } from "../../server/errors.ts"
import { NoTag } from "../shapes.ts"
import { storeFailed } from "../translate.ts"

const noTag = (failure: UnknownName) =>
  new NoTag({
    error: failure.message,
    tag: failure.value.slice(0, 100),
    hint: `${suggestionFor(failure)}GET /v3/tags lists all tags. They are case-sensitive.`,
  })

export const refusal = (failure: UnknownName | SqlError): Effect.Effect<never, NoTag | Unavailable> =>
  failure._tag === "UnknownName" ? Effect.fail(noTag(failure)) : storeFailed(failure)

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

export const positionOf = ({ part, last }: TagPlace) => [
  last.value,
  last.id,
  ...(part === undefined ? [] : [part.value, part.id]),
]

export const placeIn = (position: ReadonlyArray<bigint> | undefined): TagPlace | undefined => {
  const ranked = (value: bigint | undefined, id: bigint | undefined) =>
    value === undefined || id === undefined ? undefined : { value, id: Number(id) }
  const [value, id, partValue, partId] = position ?? []
  const last = ranked(value, id)
  return last && { last, part: ranked(partValue, partId) }
}
