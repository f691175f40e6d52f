import { deflateRawSync } from "node:zlib"

/** Something that is sent to many: made into bytes once, however many there are. */
export class Frame {
  readonly text: string
  #deflated: Uint8Array | undefined
  #textBytes: number | undefined

  constructor(text: string) {
    this.text = text
  }

  /** For those who asked for `compress=zlib`. */
  get deflated(): Uint8Array {
    this.#deflated ??= deflateRawSync(this.text, { level: 1 })
    return this.#deflated
  }

  get textBytes(): number {
    this.#textBytes ??= Buffer.byteLength(this.text)
    return this.#textBytes
  }
}
