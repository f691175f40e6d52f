import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs"

export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Lines that a receiver records. Times are milliseconds with fractions. */
export type Entry =
  | {
      readonly kind: "request"
      readonly id: string
      readonly at: number
      readonly port: number
      readonly path: string
      readonly headers: Headers
      /** Base64, because not every body is text. */
      readonly body: string
      /** Concurrent requests to this path when it arrived, including itself. */
      readonly inFlight: number
    }
  | { readonly kind: "closed"; readonly id: string; readonly at: number; readonly answered: boolean }

/** Reads new lines of a growing file, each once. */
export class GrowingLines {
  readonly #file: string
  #offset = 0
  #rest = Buffer.alloc(0)

  constructor(file: string) {
    this.#file = file
  }

  next(): ReadonlyArray<string> {
    if (!existsSync(this.#file)) return []
    const opened = openSync(this.#file, "r")
    try {
      const more = Buffer.alloc(fstatSync(opened).size - this.#offset)
      this.#offset += readSync(opened, more, 0, more.length, this.#offset)
      const all = Buffer.concat([this.#rest, more])
      const end = all.lastIndexOf(10) + 1
      this.#rest = all.subarray(end)
      return end === 0 ? [] : all.toString("utf8", 0, end - 1).split("\n")
    } finally {
      closeSync(opened)
    }
  }
}
