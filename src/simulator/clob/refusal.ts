import { json, type WireResponse } from "../wire.ts"

/** A request that cannot be answered, in the words of the order book's own service. */
export class Refusal extends Error {
  readonly response: WireResponse

  constructor(status: 400 | 404 | 405, message: string) {
    super(message)
    this.response = json({ error: message }, status)
  }
}

export const bad = (message: string) => new Refusal(400, message)

export const found = <A>(what: A | undefined, message: string): A => {
  if (what === undefined) throw new Refusal(404, message)
  return what
}
