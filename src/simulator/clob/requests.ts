import type { Query } from "../gamma/Query.ts"
import { json, type WireResponse } from "../wire.ts"

/** An error response with the message of the real order-book service. */
export class ClobError extends Error {
  readonly response: WireResponse

  constructor(status: 400 | 404 | 405, message: string) {
    super(message)
    this.response = json({ error: message }, status)
  }
}

export const badRequest = (message: string) => new ClobError(400, message)

export const orNotFound = <A>(what: A | undefined, message: string): A => {
  if (what === undefined) throw new ClobError(404, message)
  return what
}

export interface RouteRequest {
  readonly query: Query
  /** The path segment that matches the star. */
  readonly key: string
  readonly body: string
}

/** Returns JSON text. */
export type Route = (request: RouteRequest) => string
/** By method and path; a star matches one path segment. */
export type Routes = Readonly<Record<string, Route>>

export const jsonRoutes = (routes: Readonly<Record<string, (request: RouteRequest) => unknown>>): Routes =>
  Object.fromEntries(
    Object.entries(routes).map(([path, handle]) => [path, (request) => JSON.stringify(handle(request))]),
  )

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parseBody = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw badRequest("Invalid payload")
  }
}

export const parseRecord = (body: string): Readonly<Record<string, unknown>> => {
  const value = parseBody(body)
  if (!isRecord(value)) throw badRequest("Invalid payload")
  return value
}

const maxTokens = 500

export interface TokenQuery {
  readonly id: string
  readonly side: string | undefined
}

const tokenQuery = (item: unknown): TokenQuery => {
  if (!isRecord(item)) throw badRequest("Invalid payload")
  const { token_id: id, side } = item
  if (typeof id !== "string") throw badRequest("Invalid token id")
  if (side !== undefined && side !== null && typeof side !== "string") throw badRequest("Invalid side")
  return { id, side: side || undefined }
}

export const parseTokenQueries = (body: string): ReadonlyArray<TokenQuery> => {
  const list = parseBody(body)
  if (!Array.isArray(list)) throw badRequest("Invalid payload")
  if (list.length > maxTokens) throw badRequest("Payload exceeds the limit")
  return list.map(tokenQuery)
}
