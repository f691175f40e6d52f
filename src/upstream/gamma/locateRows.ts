import { hash } from "node:crypto"
import { type Reading, scan } from "../jsonScan.ts"

/** Where a row is in the bytes of a page. */
export interface RowPlace {
  readonly start: number
  readonly end: number
  /** Of its bytes. */
  readonly fingerprint: string
}

/** The text of a row, by which it is recognised. */
export const fingerprintOf = (row: string | Uint8Array) => hash("sha1", row, "base64")

export interface LocatedPage {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The page with the places of its rows instead of the rows; undefined if it is no JSON, or no page. */
  readonly page: unknown
}

/** Finds the rows of a page without parsing them. Uses no Effect, because a thread runs it. */
export const locateRows = (bytes: Uint8Array<ArrayBuffer>): LocatedPage => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // One character for each byte; brackets, commas and quotes are never a part of a longer character.
  const text = buffer.toString("latin1")
  const reading: Reading = {
    element: (_, start, end): RowPlace => ({ start, end, fingerprint: fingerprintOf(buffer.subarray(start, end)) }),
    rest: (skeleton) => JSON.parse(Buffer.from(skeleton, "latin1").toString("utf8")),
  }
  try {
    const steps = scan(text, reading)
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return { bytes, page: step.value }
  } catch {
    return { bytes, page: undefined }
  }
}
