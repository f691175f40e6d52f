import type { XArticle } from "./model.ts"

/** The API escapes these three signs. */
export const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** A text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/** An address that a browser may open. */
export const webOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^https?:\/\//i.test(value) ? value : undefined

/** Of an object; none of anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

const widthOf = ({ width }: Readonly<Record<string, unknown>>) => (typeof width === "number" ? width : 0)

/** The largest of the pictures of a page. */
export const imageOf = (images: unknown): string | undefined => {
  const list = Array.isArray(images) ? images.map(fieldsOf) : []
  const largest = list.filter(({ url }) => webOf(url) !== undefined).toSorted((a, b) => widthOf(b) - widthOf(a))[0]
  return webOf(largest?.["url"])
}

/** The article of a post; undefined without a title. */
export const articleOf = (
  value: unknown,
  pictureOf: (mediaKey: string) => string | undefined,
): XArticle | undefined => {
  const { title, preview_text, plain_text, cover_media } = fieldsOf(value)
  const read = (text: unknown) => {
    const found = textOf(text)
    return found === undefined ? undefined : unescaped(found)
  }
  const name = read(title)
  if (name === undefined) return undefined
  return {
    title: name,
    previewText: read(preview_text),
    plainText: read(plain_text),
    imageUrl: typeof cover_media === "string" ? pictureOf(cover_media) : undefined,
  }
}
