import { Query, GammaError as QueryRefusal } from "../gamma/Query.ts"

/** A request error. v1 and v2 render it differently. */
export class DataError extends Error {
  readonly status: 400 | 404 | 405
  /** The invalid parameter. */
  readonly parameter: string | undefined

  constructor(status: 400 | 404 | 405, message: string, parameter?: string) {
    super(message)
    this.status = status
    this.parameter = parameter
  }
}

export const invalid = (message: string, parameter?: string) => new DataError(400, message, parameter)

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Typed query parameters. Names are snake_case here; requests may also use camelCase. */
export class Params {
  readonly #params: URLSearchParams
  readonly #query: Query

  constructor(params: URLSearchParams) {
    this.#params = params
    this.#query = new Query(params)
  }

  text(name: string): string | undefined {
    return this.#query.text(this.#nameInRequest(name))
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined) throw invalid(`required query param '${name}' not provided`, name)
    return text
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, (sentName) => this.#query.flag(sentName))
  }

  number(name: string): number | undefined {
    return this.#read(name, (sentName) => this.#query.number(sentName))
  }

  integer(name: string): number | undefined {
    return this.#read(name, (sentName) => this.#query.integer(sentName))
  }

  /** Comma-separated or repeated values. */
  list(name: string): ReadonlyArray<string> {
    const parts = this.#query.texts(this.#nameInRequest(name)).flatMap((text) => text.split(","))
    return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ""))]
  }

  /** One of the values, case-insensitive. */
  choice<A extends string>(name: string, values: ReadonlyArray<A>): A | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : parseChoice(name, text, values)
  }

  choices<A extends string>(name: string, values: ReadonlyArray<A>): ReadonlyArray<A> {
    return this.list(name).map((text) => parseChoice(name, text, values))
  }

  /** All parameters, with names in snake_case. */
  *entries(): Iterable<readonly [name: string, value: string]> {
    for (const [name, value] of this.#params) yield [snakeCase(name), value]
  }

  #nameInRequest(name: string): string {
    const other = camelCase(name)
    return this.#params.has(other) ? other : name
  }

  #read<A>(name: string, read: (sentName: string) => A): A {
    try {
      return read(this.#nameInRequest(name))
    } catch (error) {
      throw error instanceof QueryRefusal ? invalid(error.message, name) : error
    }
  }
}

const parseChoice = <A extends string>(name: string, text: string, values: ReadonlyArray<A>): A => {
  const value = values.find((each) => each.toLowerCase() === text.toLowerCase())
  if (value === undefined) throw invalid(`${name} must be one of ${values.join(", ")}`, name)
  return value
}
