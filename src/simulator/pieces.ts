/** The bytes of a text so long that to put it together would cost about as much as to make it. */
export type Pieces = ReadonlyArray<Buffer>
export type Text = string | Pieces

export const piecesOf = (text: Text): Pieces => (typeof text === "string" ? [Buffer.from(text)] : text)

export const wholeText = (text: Text): string =>
  typeof text === "string" ? text : Buffer.concat(text).toString("utf8")

export const bytesIn = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)

const [opening, comma, closing] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")]

/** A list in JSON, of elements in JSON. */
export const listOf = (elements: ReadonlyArray<Pieces>): Pieces => [
  opening,
  ...elements.flatMap((element, i) => (i === 0 ? element : [comma, ...element])),
  closing,
]
