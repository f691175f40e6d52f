import { json, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"

const kinds = { 400: "bad request error", 404: "not found error", 405: "method not allowed", 422: "validation error" }

/** An error response in the real service's format. */
export class GammaError extends Error {
  readonly response: WireResponse

  constructor(status: keyof typeof kinds, message: string) {
    super(message)
    this.response = json({ type: kinds[status], error: message }, status)
  }
}

export const invalid = (message: string) => new GammaError(422, message)

export const orNotFound = <A>(what: A | undefined, name: string): A => {
  if (what === undefined) throw new GammaError(404, `${name} not found`)
  return what
}

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false }

/** Typed query parameters. Invalid values throw, unknown names are ignored. */
export class Query {
  readonly #params: URLSearchParams

  constructor(params: URLSearchParams) {
    this.#params = params
  }

  text(name: string): string | undefined {
    return this.#params.get(name) || undefined
  }

  /** Every value of a repeated key. */
  texts(name: string): ReadonlyArray<string> {
    return this.#params.getAll(name).filter((value) => value !== "")
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const flag = flags[text.toLowerCase()]
    if (flag === undefined) throw invalid(`${name} is not a valid boolean`)
    return flag
  }

  number(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const number = Number(text)
    if (!Number.isFinite(number)) throw invalid(`${name} is not a valid number`)
    return number
  }

  integer(name: string): number | undefined {
    const number = this.number(name)
    if (number !== undefined && !(Number.isInteger(number) && number >= 0)) {
      throw invalid(`${name} is not a valid non-negative integer`)
    }
    return number
  }

  integers(name: string): ReadonlyArray<number> {
    return this.texts(name).map((text) => {
      if (!/^\d{1,15}$/.test(text)) throw invalid(`${name} is not a valid integer`)
      return Number(text)
    })
  }

  time(name: string): Millis | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(time)) throw invalid(`${name} is not a valid date`)
    return time
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = values.find((each) => each === text)
    if (value === undefined) throw invalid(`${name} must be one of ${values.join(", ")}`)
    return value
  }
}
