import { deflateRawSync } from "node:zlib"

/** A message for many sockets, encoded once. */
export class Frame {
  readonly text: string
  #deflated: Uint8Array | undefined
  #textBytes: number | undefined

  constructor(text: string) {
    this.text = text
  }

  /** For clients that requested `compress=zlib`. */
  get deflated(): Uint8Array {
    this.#deflated ??= deflateRawSync(this.text, { level: 1 })
    return this.#deflated
  }

  get textBytes(): number {
    this.#textBytes ??= Buffer.byteLength(this.text)
    return this.#textBytes
  }
}
