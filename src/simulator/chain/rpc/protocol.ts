import { bytesIn, listOf, type Pieces, piecesOf, type Text } from "../../pieces.ts"
import { errorCode, RpcError } from "./RpcError.ts"

/** Runs a method and gives its result as JSON text: some are so big that they are never made into objects. */
export type Call = (method: string, params: ReadonlyArray<unknown>) => Text

/** Makes ready for the requests that came together. */
export type Calls = (requests: ReadonlyArray<unknown>) => Call

const largestBatch = 1_000
const largestAnswerMegabytes = 32

/** What may still be said in an answer. Work that was given up counts as well, or it could be asked for at will. */
class Room {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Whether so many bytes still fit; once some do not, nothing does any more. */
  take(bytes: number): boolean {
    this.#left = bytes <= this.#left ? this.#left - bytes : -1
    return this.#left >= 0
  }
}

const noRoom = () =>
  new RpcError(
    errorCode.responseTooLarge,
    `response too large: a batch is answered with at most ${largestAnswerMegabytes} MB`,
  )

const success = (id: string, result: Pieces): Pieces => [
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`),
  ...result,
  Buffer.from("}"),
]

const failure = (id: string, { code, message }: RpcError): Pieces =>
  piecesOf(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`)

const refusal = (code: number, message: string) => failure("null", new RpcError(code, message))

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (id: unknown) => id === null || typeof id === "string" || typeof id === "number"

const run = (call: Call, method: string, params: unknown, room: Room): Pieces => {
  if (!room.take(0)) throw noRoom()
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new RpcError(errorCode.invalidParams, "params: an array is expected")
  }
  const result = piecesOf(call(method, params ?? []))
  if (!room.take(bytesIn(result))) throw noRoom()
  return result
}

const failureOf = (error: unknown, room: Room): RpcError => {
  if (!(error instanceof RpcError)) return new RpcError(errorCode.internal, String(error))
  room.take(error.made)
  return error
}

/** The answer to one request, or nothing if it has no id and so wants none. */
const answerOne = (request: unknown, call: Call, room: Room): Pieces | undefined => {
  if (!isObject(request)) return refusal(errorCode.invalidRequest, "invalid request: an object is expected")
  const { jsonrpc, id, method, params } = request
  if (id !== undefined && !isId(id)) return refusal(errorCode.invalidRequest, "id: a string or number is expected")
  const name = JSON.stringify(id ?? null)
  if (jsonrpc !== "2.0") return failure(name, new RpcError(errorCode.invalidRequest, 'jsonrpc: "2.0" is expected'))
  if (typeof method !== "string") {
    return failure(name, new RpcError(errorCode.invalidRequest, "method: a string is expected"))
  }
  try {
    const result = run(call, method, params, room)
    return id === undefined ? undefined : success(name, result)
  } catch (error) {
    const why = failureOf(error, room)
    return id === undefined ? undefined : failure(name, why)
  }
}

/** The answer to a text with one request or a batch of them; empty if none is wanted. */
export const answer = (text: string, calls: Calls): Pieces => {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return refusal(errorCode.parse, "parse error")
  }
  if (!Array.isArray(request)) return answerOne(request, calls([request]), new Room(Number.POSITIVE_INFINITY)) ?? []
  if (request.length === 0) return refusal(errorCode.invalidRequest, "empty batch")
  if (request.length > largestBatch) {
    return refusal(errorCode.invalidRequest, `batch too large: at most ${largestBatch} requests`)
  }
  const room = new Room(largestAnswerMegabytes * 1024 * 1024)
  const call = calls(request)
  const answers = request.map((each) => answerOne(each, call, room)).filter((each) => each !== undefined)
  return answers.length === 0 ? [] : listOf(answers)
}
