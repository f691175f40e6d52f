/** What a node answers instead of a result. */
export class RpcError extends Error {
  readonly code: number
  /** Bytes that were made for the answer before it was given up. */
  readonly made: number

  constructor(code: number, message: string, made = 0) {
    super(message)
    this.code = code
    this.made = made
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

/** Says which argument is wrong, in the words of a node. */
export const invalid = (place: number, why: string) =>
  new RpcError(errorCode.invalidParams, `invalid argument ${place}: ${why}`)
