import { byteLength, type Chunks, jsonList, type TextOrChunks, toChunks } from "../../wire.ts"

/** A JSON-RPC error. */
export class RpcError extends Error {
  readonly code: number
  /** Bytes of the response that were built before it was abandoned. */
  readonly bytesBuilt: number

  constructor(code: number, message: string, bytesBuilt = 0) {
    super(message)
    this.code = code
    this.bytesBuilt = bytesBuilt
  }
}

export const errorCode = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  responseTooLarge: -32003,
  limitExceeded: -32005,
} as const

/** Worded like the errors of a real node. */
export const invalidArgument = (argument: number, reason: string) =>
  new RpcError(errorCode.invalidParams, `invalid argument ${argument}: ${reason}`)

/** Runs a method and returns its result as JSON text: some results are too big to build as objects. */
export type Call = (method: string, params: ReadonlyArray<unknown>) => TextOrChunks

/** Prepares to answer the requests of one batch. */
export type BatchCalls = (requests: ReadonlyArray<unknown>) => Call

/** Limits of a batch. */
export interface BatchLimits {
  readonly maxBatch?: number | undefined
  readonly maxResponseBytes?: number | undefined
}

const defaultBatch = 1_000
const defaultResponseBytes = 32 * 1024 * 1024

/** Bytes left in a response. Abandoned work counts too; otherwise clients could repeat it at will. */
class ResponseBudget {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Whether `bytes` still fit; after the first failure nothing fits. */
  take(bytes: number): boolean {
    this.#left = bytes <= this.#left ? this.#left - bytes : -1
    return this.#left >= 0
  }
}

const tooLarge = () => new RpcError(errorCode.responseTooLarge, "response too large")

const success = (id: string, result: Chunks): Chunks => [
  Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`),
  ...result,
  Buffer.from("}"),
]

const failure = (id: string, { code, message }: RpcError): Chunks =>
  toChunks(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`)

const refusal = (code: number, message: string) => failure("null", new RpcError(code, message))

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (id: unknown) => id === null || typeof id === "string" || typeof id === "number"

const run = (call: Call, method: string, params: unknown, budget: ResponseBudget): Chunks => {
  if (!budget.take(0)) throw tooLarge()
  if (params !== undefined && params !== null && !Array.isArray(params)) {
    throw new RpcError(errorCode.invalidParams, "params must be an array")
  }
  const result = toChunks(call(method, params ?? []))
  if (!budget.take(byteLength(result))) throw tooLarge()
  return result
}

const toRpcError = (error: unknown, budget: ResponseBudget): RpcError => {
  if (!(error instanceof RpcError)) return new RpcError(errorCode.internal, String(error))
  budget.take(error.bytesBuilt)
  return error
}

/** The response to one request; undefined for notifications, which have no id. */
const respondToOne = (request: unknown, call: Call, budget: ResponseBudget): Chunks | undefined => {
  if (!isObject(request)) return refusal(errorCode.invalidRequest, "invalid request: must be an object")
  const { jsonrpc, id, method, params } = request
  if (id !== undefined && !isId(id)) return refusal(errorCode.invalidRequest, "id must be a string or a number")
  const idJson = JSON.stringify(id ?? null)
  if (jsonrpc !== "2.0") return failure(idJson, new RpcError(errorCode.invalidRequest, 'jsonrpc must be "2.0"'))
  if (typeof method !== "string") {
    return failure(idJson, new RpcError(errorCode.invalidRequest, "method must be a string"))
  }
  try {
    const result = run(call, method, params, budget)
    return id === undefined ? undefined : success(idJson, result)
  } catch (error) {
    const rpcError = toRpcError(error, budget)
    return id === undefined ? undefined : failure(idJson, rpcError)
  }
}

/** The response to a request or a batch of requests; empty if they are all notifications. */
export const respond = (
  text: string,
  calls: BatchCalls,
  { maxBatch = defaultBatch, maxResponseBytes = defaultResponseBytes }: BatchLimits = {},
): Chunks => {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return refusal(errorCode.parse, "parse error")
  }
  if (!Array.isArray(request))
    return respondToOne(request, calls([request]), new ResponseBudget(Number.POSITIVE_INFINITY)) ?? []
  if (request.length === 0) return refusal(errorCode.invalidRequest, "empty batch")
  if (request.length > maxBatch) {
    return refusal(errorCode.invalidRequest, `batch too large: at most ${maxBatch} requests`)
  }
  const budget = new ResponseBudget(maxResponseBytes)
  const call = calls(request)
  const responses = request.map((each) => respondToOne(each, call, budget)).filter((each) => each !== undefined)
  return responses.length === 0 ? [] : jsonList(responses)
}
