import type { Millis } from "../world/model.ts"
import { allowedOf, type ChoiceName } from "./fields.ts"
import { invalid, invalidValue } from "./problems.ts"
import { type Stamp, stampOf } from "./snowflake.ts"

const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** The parameters of a request; whatever is not among those known is refused. */
export class Parameters {
  readonly #params: URLSearchParams

  constructor(params: URLSearchParams, known: ReadonlyArray<string>) {
    this.#params = params
    for (const [name, value] of params) {
      if (!known.includes(name)) {
        throw invalid({ [name]: [value] }, `The query parameter [${name}] is not one of [${known.join(",")}]`)
      }
    }
  }

  text(name: string): string | undefined {
    return this.#params.get(name) ?? undefined
  }

  between(name: string, least: number, most: number, usual: number): number {
    const text = this.text(name)
    if (text === undefined) return usual
    if (!/^\d{1,9}$/.test(text)) throw invalidValue(name, text, "is not a valid integer")
    const number = Number(text)
    if (number < least || number > most) throw invalidValue(name, text, `is not between ${least} and ${most}`)
    return number
  }

  moment(name: string): Millis | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const moment = momentPattern.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(moment)) throw invalidValue(name, text, "is not a valid RFC3339 date-time")
    return moment
  }

  stamp(name: string): Stamp | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const stamp = stampOf(text)
    if (stamp === undefined) throw invalidValue(name, text, "is not a valid Tweet ID")
    return stamp
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = values.find((each) => each === text)
    if (value === undefined) throw invalidValue(name, text, `is not one of [${values.join(",")}]`)
    return value
  }

  /** A list with commas, of values that exist. */
  choices(name: ChoiceName): ReadonlyArray<string> {
    const text = this.text(name)
    if (text === undefined || text === "") return []
    const allowed = allowedOf(name)
    const values = text.split(",")
    const wrong = values.find((each) => !allowed.includes(each))
    if (wrong !== undefined) throw invalidValue(name, wrong, `is not one of [${allowed.join(",")}]`)
    return values
  }
}
