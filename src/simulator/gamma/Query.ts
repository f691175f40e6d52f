import type { Millis } from "../world/model.ts"
import { invalid } from "./refusal.ts"

const flags: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false }

/** The parameters of a request by type; what cannot be read is refused, what is unknown is ignored. */
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

  whole(name: string): number | undefined {
    const number = this.number(name)
    if (number !== undefined && !(Number.isInteger(number) && number >= 0)) {
      throw invalid(`${name} is not a valid non-negative integer`)
    }
    return number
  }

  wholes(name: string): ReadonlyArray<number> {
    return this.texts(name).map((text) => {
      if (!/^\d{1,15}$/.test(text)) throw invalid(`${name} is not a valid integer`)
      return Number(text)
    })
  }

  moment(name: string): Millis | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(moment)) throw invalid(`${name} is not a valid date`)
    return moment
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = values.find((each) => each === text)
    if (value === undefined) throw invalid(`${name} must be one of ${values.join(", ")}`)
    return value
  }
}
