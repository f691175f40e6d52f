/** What a node says that no sound node says. */
export class OddReply extends Error {}

/** What a node says when it will not do what was asked. */
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

/** A field of something that may be no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** What one answer brings. */
export const resultOf = (method: string, answer: unknown): unknown => {
  if (!isObject(answer)) throw new OddReply(`${method}: no object`)
  const { error } = answer
  if (isObject(error) && typeof error["code"] === "number") {
    throw new RefusedReply(method, error["code"], String(error["message"]).slice(0, 300))
  }
  if (!("result" in answer)) throw new OddReply(`${method}: neither result nor error`)
  return answer["result"]
}

/** What the answers to a batch bring, in the order of its questions, whose numbers are their places. */
export const resultsOf = (methods: ReadonlyArray<string>, answers: unknown): ReadonlyArray<unknown> => {
  // A batch that is refused as a whole has one answer.
  if (!Array.isArray(answers)) {
    const method = methods[0] ?? ""
    resultOf(method, answers)
    throw new OddReply(`${method}: no list of answers`)
  }
  // In whatever order the node likes.
  const byId = new Map<unknown, unknown>(answers.map((answer) => [fieldOf(answer, "id"), answer]))
  return methods.map((method, id) => resultOf(method, byId.get(id)))
}
