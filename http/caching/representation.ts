import type { Answer } from "#src/caching/Answer.ts"
import { type Acceptable, type Choice, chooseEncoding } from "./chooseEncoding.ts"
import { compress } from "./compress.ts"

/** Below this, what compression saves is less than what it costs. */
export const leastToCompress = 1024

const mostRemembered = 500

/** Clients say the same few things again and again. */
class Choices {
  readonly #made = new Map<string, Choice>()
  readonly #isSmall: boolean

  constructor(isSmall: boolean) {
    this.#isSmall = isSmall
  }

  of(header: string): Choice {
    const found = this.#made.get(header)
    if (found !== undefined) return found
    const choice = chooseEncoding(header, this.#isSmall)
    if (this.#made.size >= mostRemembered) this.#made.clear()
    this.#made.set(header, choice)
    return choice
  }
}

const choices = { small: new Choices(true), large: new Choices(false) }

/** In which encoding an answer goes to a client that sent this `Accept-Encoding`. */
export const encodingFor = ({ bytes }: Answer, acceptEncoding: string | undefined): Choice =>
  acceptEncoding === undefined
    ? "identity"
    : (bytes.length < leastToCompress ? choices.small : choices.large).of(acceptEncoding)

/** The bytes of an answer in an encoding; a promise while they are being compressed for the first time. */
export const bytesIn = (answer: Answer, encoding: Acceptable): Buffer | Promise<Buffer> =>
  encoding === "identity" ? answer.bytes : answer.variant(encoding, compress[encoding])

/** The same where they are there already. */
export const readyBytes = (answer: Answer, encoding: Acceptable): Buffer | undefined =>
  encoding === "identity" ? answer.bytes : answer.ready(encoding)

/** Another one for every encoding, as a strong tag stands for the bytes that are sent. */
export const etagOf = ({ tag }: Answer, encoding: Choice): string =>
  encoding === "identity" ? `"${tag}"` : `"${tag}-${encoding}"`

/** Whether `If-None-Match` names the tag; weakly, as it is meant for reads. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((each) => each.trim().replace(/^W\//, "") === etag))
