import type { HttpRequest, HttpResponse } from "uws-pack"

/**
 * Why a request is refused before anything else. None of ours has a body, and uWebSockets does not agree with proxies about
 * where one ends: it takes every encoding for chunks and the first of several lengths.
 */
const problemOf = (request: HttpRequest): string | undefined => {
  let hosts = 0
  let hasBody = false
  request.forEach((name, value) => {
    if (name === "host") hosts++
    if (name === "transfer-encoding" || (name === "content-length" && value !== "0")) hasBody = true
  })
  if (hosts > 1) return "The request has several Host headers."
  return hasBody ? "Requests to the gateway have no body." : undefined
}

/**
 * Answers an ambiguous request and ends its connection. Not at once: only while an answer is awaited does uWebSockets drop a
 * connection that sends another request, which could be one that is hidden in the body.
 */
export const refusedForHead = (response: HttpResponse, request: HttpRequest): boolean => {
  const error = problemOf(request)
  if (error === undefined) return false
  let isAborted = false
  response.onAborted(() => {
    isAborted = true
  })
  setImmediate(() => {
    if (isAborted) return
    response.cork(() => {
      response.writeStatus("400 Bad Request").writeHeader("content-type", "application/json")
      response.end(JSON.stringify({ error }), true)
    })
  })
  return true
}

type Handler = (response: HttpResponse, request: HttpRequest) => void

export const checkingHead =
  (handle: Handler): Handler =>
  (response, request) => {
    if (!refusedForHead(response, request)) handle(response, request)
  }
