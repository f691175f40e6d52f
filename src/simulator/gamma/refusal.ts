import { json, type WireResponse } from "../wire.ts"

const kinds = { 400: "bad request error", 404: "not found error", 405: "method not allowed", 422: "validation error" }

/** A request that cannot be answered, in the venue's words. */
export class Refusal extends Error {
  readonly response: WireResponse

  constructor(status: keyof typeof kinds, message: string) {
    super(message)
    this.response = json({ type: kinds[status], error: message }, status)
  }
}

export const invalid = (message: string) => new Refusal(422, message)

export const found = <A>(what: A | undefined, name: string): A => {
  if (what === undefined) throw new Refusal(404, `${name} not found`)
  return what
}
