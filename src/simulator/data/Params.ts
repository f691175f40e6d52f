import { Query } from "../gamma/Query.ts"
import { Refusal as QueryRefusal } from "../gamma/refusal.ts"
import { invalid } from "./refusal.ts"

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The parameters of a request, asked for in snake_case and found in either spelling. */
export class Params {
  readonly #params: URLSearchParams
  readonly #query: Query

  constructor(params: URLSearchParams) {
    this.#params = params
    this.#query = new Query(params)
  }

  text(name: string): string | undefined {
    return this.#query.text(this.#spelled(name))
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined) throw invalid(`required query param '${name}' not provided`, name)
    return text
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, (spelled) => this.#query.flag(spelled))
  }

  number(name: string): number | undefined {
    return this.#read(name, (spelled) => this.#query.number(spelled))
  }

  whole(name: string): number | undefined {
    return this.#read(name, (spelled) => this.#query.whole(spelled))
  }

  /** Separated by commas, or as a repeated key. */
  list(name: string): ReadonlyArray<string> {
    const parts = this.#query.texts(this.#spelled(name)).flatMap((text) => text.split(","))
    return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ""))]
  }

  /** One of the values, in any case. */
  choice<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : chosen(name, text, values)
  }

  choices<A extends string>(name: string, values: ReadonlyArray<A>): ReadonlyArray<A> {
    return this.list(name).map((text) => chosen(name, text, values))
  }

  /** Every parameter that was sent, its name in snake_case. */
  *sent(): Iterable<readonly [name: string, value: string]> {
    for (const [name, value] of this.#params) yield [snakeCase(name), value]
  }

  #spelled(name: string): string {
    const other = camelCase(name)
    return this.#params.has(other) ? other : name
  }

  #read<A>(name: string, read: (spelled: string) => A): A {
    try {
      return read(this.#spelled(name))
    } catch (error) {
      throw error instanceof QueryRefusal ? invalid(error.message, name) : error
    }
  }
}

const chosen = <A extends string>(name: string, text: string, values: ReadonlyArray<A>): A => {
  const value = values.find((each) => each.toLowerCase() === text.toLowerCase())
  if (value === undefined) throw invalid(`${name} must be one of ${values.join(", ")}`, name)
  return value
}
