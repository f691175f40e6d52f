/** An answer that violates the protocol. */
export class MalformedReply extends Error {}

/** An error answer. */
export class RefusedReply extends Error {
  readonly method: string
  readonly code: number

  constructor(method: string, code: number, detail: string) {
    super(detail)
    this.method = method
    this.code = code
  }
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of a value; undefined if the value is no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** The result of one answer. */
export const resultOf = (method: string, answer: unknown): unknown => {
  if (!isObject(answer)) throw new MalformedReply(`${method}: not an object`)
  const { error } = answer
  if (isObject(error) && typeof error["code"] === "number") {
    throw new RefusedReply(method, error["code"], String(error["message"]).slice(0, 300))
  }
  if (!("result" in answer)) throw new MalformedReply(`${method}: neither result nor error`)
  return answer["result"]
}

/** The results of a batch, in the order of its requests, whose ids are their indexes. */
export const resultsOf = (methods: ReadonlyArray<string>, answers: unknown): ReadonlyArray<unknown> => {
  // A batch that is refused as a whole has a single answer.
  if (!Array.isArray(answers)) {
    const method = methods[0] ?? ""
    resultOf(method, answers)
    throw new MalformedReply(`${method}: not a list of answers`)
  }
  // Nodes answer in any order.
  const byId = new Map<unknown, unknown>(answers.map((answer) => [fieldOf(answer, "id"), answer]))
  return methods.map((method, id) => resultOf(method, byId.get(id)))
}
