import { errorCode, RpcError } from "./RpcError.ts"

/** Runs a method and gives its result as JSON text: some are so big that they are never made into objects. */
export type Call = (method: string, params: ReadonlyArray<unknown>) => string

const largestBatch = 1_000

const failure = (id: string, { code, message }: RpcError) =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`

const refusal = (code: number, message: string) => failure("null", new RpcError(code, message))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (id: unknown) => id === null || typeof id === "string" || typeof id === "number"

const run = (call: Call, method: string, params: unknown): string => {
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new RpcError(errorCode.invalidParams, "params: an array is expected")
  }
  return call(method, params ?? [])
}

/** The answer to one request, or nothing if it has no id and so wants none. */
const answerOne = (request: unknown, call: Call): string | undefined => {
  if (!isObject(request)) return refusal(errorCode.invalidRequest, "invalid request: an object is expected")
  const { jsonrpc, id, method, params } = request
  if (id !== undefined && !isId(id)) return refusal(errorCode.invalidRequest, "id: a string or number is expected")
  const name = JSON.stringify(id ?? null)
  if (jsonrpc !== "2.0") return failure(name, new RpcError(errorCode.invalidRequest, 'jsonrpc: "2.0" is expected'))
  if (typeof method !== "string") {
    return failure(name, new RpcError(errorCode.invalidRequest, "method: a string is expected"))
  }
  try {
    const result = run(call, method, params)
    return id === undefined ? undefined : `{"jsonrpc":"2.0","id":${name},"result":${result}}`
  } catch (error) {
    if (id === undefined) return undefined
    return failure(name, error instanceof RpcError ? error : new RpcError(errorCode.internal, String(error)))
  }
}

/** The answer to a text with one request or a batch of them; empty if none is wanted. */
export const answer = (text: string, call: Call): string => {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return refusal(errorCode.parse, "parse error")
  }
  if (!Array.isArray(request)) return answerOne(request, call) ?? ""
  if (request.length === 0) return refusal(errorCode.invalidRequest, "empty batch")
  if (request.length > largestBatch) {
    return refusal(errorCode.invalidRequest, `batch too large: at most ${largestBatch} requests`)
  }
  const answers = request.map((each) => answerOne(each, call)).filter((each) => each !== undefined)
  return answers.length === 0 ? "" : `[${answers.join(",")}]`
}
