import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import { requestIdFor } from "./requestId.ts"

const problems: Readonly<Record<string, readonly [status: number, reason: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "The address and headers together are larger than 16 KB.",
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "The chunk extensions are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request took too long to arrive."],
}
const malformed = [400, "Bad Request", "This is not a valid HTTP/1.1 request."] as const

/** True while an answer is being written to the socket: another one must not be mixed into it. */
const isAnswering = (socket: Duplex): boolean => {
  const message: unknown = Reflect.get(socket, "_httpMessage")
  return typeof message === "object" && message !== null && Reflect.get(message, "headersSent") === true
}

/** Answers what Node could not read as HTTP in the same JSON form as everything else, then hangs up. */
export const answerClientErrors = (server: Server, lingerMillis: number, onAnswer: (status: number) => void) => {
  const answered = new WeakSet<Duplex>()
  server.on("clientError", (problem: NodeJS.ErrnoException, socket) => {
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable || problem.code === "ECONNRESET" || isAnswering(socket)) {
      socket.destroy()
      return
    }
    const [status, reason, error] = problems[problem.code ?? ""] ?? malformed
    const body = JSON.stringify({ error })
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
        `access-control-allow-origin: *\r\nx-request-id: ${requestIdFor(undefined)}\r\nconnection: close\r\n\r\n${body}`,
    )
    // Cutting at once would reset the connection before the client has read the answer.
    setTimeout(() => socket.destroy(), lingerMillis).unref()
    onAnswer(status)
  })
}
