import { saysStateUnavailable, understand } from "./refusals.ts"

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

const maxDetail = 300

/** Some providers give the reason only in the data of an error. */
const detailOf = ({ message, data }: Fields): string => {
  const reason = typeof data === "string" ? data : isObject(data) ? JSON.stringify(data) : ""
  const text = String(message).slice(0, maxDetail)
  return reason === "" || text.includes(reason) ? text : `${text}: ${reason.slice(0, maxDetail)}`
}

/** The error of an answer, if it is one. */
const errorIn = (answer: unknown): { readonly code: number; readonly detail: string } | undefined => {
  const error = fieldOf(answer, "error")
  if (!isObject(error)) return undefined
  const code = error["code"]
  return typeof code === "number" ? { code, detail: detailOf(error) } : undefined
}

/** The result of one answer. */
export const resultOf = (method: string, answer: unknown): unknown => {
  if (!isObject(answer)) throw new MalformedReply(`${method}: not an object`)
  const error = errorIn(answer)
  if (error !== undefined) throw new RefusedReply(method, error.code, error.detail)
  if (!("result" in answer)) throw new MalformedReply(`${method}: neither result nor error`)
  return answer["result"]
}

/** The results of a batch, in the order of its requests, whose ids are consecutive. */
export const resultsOf = (methods: ReadonlyArray<string>, answers: unknown, firstId = 0): ReadonlyArray<unknown> => {
  // A batch that is refused as a whole has a single answer.
  if (!Array.isArray(answers)) {
    const method = methods[0] ?? ""
    const result = resultOf(method, answers)
    // A batch of one is sent as a single request.
    if (methods.length === 1) return [result]
    throw new MalformedReply(`${method}: not a list of answers`)
  }
  // Nodes answer in any order.
  const byId = new Map<unknown, unknown>(answers.map((answer) => [fieldOf(answer, "id"), answer]))
  return methods.map((method, i) => resultOf(method, byId.get(firstId + i)))
}

/** Refusals are short; results may have many megabytes. */
const maxRefusalLength = 20_000

const areErrors = (answers: ReadonlyArray<unknown>) =>
  answers.length > 0 && answers.every((answer) => errorIn(answer) !== undefined)

const errorOfAll = (text: string) => {
  if (!text.includes('"error"')) return undefined
  try {
    const answer: unknown = JSON.parse(text)
    const answers = Array.isArray(answer) ? answer : [answer]
    // Some providers refuse each request of a batch, and not all give the ids.
    return areErrors(answers) ? errorIn(answers[0]) : undefined
  } catch {
    return undefined
  }
}

/** The error of an answer that is nothing but a refusal. */
export const refusalIn = (answer: Buffer) =>
  answer.length > maxRefusalLength ? undefined : errorOfAll(answer.toString("utf8"))

/** Whether the body of a failed request is a refusal that is understood: providers use any status for them. */
export const isUnderstood = (text: string): boolean => {
  const error = text.length > maxRefusalLength ? undefined : errorOfAll(text)
  return (
    error !== undefined && (understand(error.code, error.detail) !== undefined || saysStateUnavailable(error.detail))
  )
}

const [opening, comma, closing] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")]

const bracket = "[".charCodeAt(0)

const withoutBrackets = (answer: Buffer): Buffer => {
  const text = answer.subarray(0, 16).toString("latin1").trimStart()
  if (text.charCodeAt(0) !== bracket) return answer
  return answer.subarray(answer.indexOf(bracket) + 1, answer.lastIndexOf("]"))
}

/** Joins the answers to parts of a batch to the answer of a whole one, in a buffer of its own. */
export const joinAnswers = (parts: ReadonlyArray<Buffer<ArrayBuffer>>): Buffer<ArrayBuffer> => {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const pieces = [
    opening,
    ...parts.flatMap((part, i) => (i === 0 ? [withoutBrackets(part)] : [comma, withoutBrackets(part)])),
    closing,
  ]
  // `Buffer.concat` may allocate from a pool, whose buffer cannot be transferred to another thread.
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const piece of pieces) end += piece.copy(whole, end)
  return whole
}
