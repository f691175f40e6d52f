import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { eventually } from "#test/support/eventually.ts"
import { gatewayPort } from "./gateway.ts"

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

interface FrameOptions {
  readonly isLast?: boolean
  readonly isMasked?: boolean
  readonly reserved?: number
}

/** Encodes a client frame, valid or not. */
export const frame = (
  opcode: number,
  payload: string | Uint8Array,
  { isLast = true, isMasked = true, reserved = 0 }: FrameOptions = {},
): Buffer => {
  const bytes = Buffer.from(payload)
  const masked = isMasked ? 0x80 : 0
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode
  const head =
    bytes.length < 126
      ? Buffer.from([first, masked | bytes.length])
      : bytes.length < 65_536
        ? Buffer.from([first, masked | 126, bytes.length >> 8, bytes.length & 255])
        : Buffer.concat([Buffer.from([first, masked | 127, 0, 0, 0, 0]), bigEndian(bytes.length)])
  // A mask of zeros is valid and changes nothing.
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), bytes])
}

const bigEndian = (number: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

/** A raw TCP connection. */
export class Wire {
  received = Buffer.alloc(0)
  isClosed = false
  readonly socket: Socket

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1")
    this.socket.on("data", (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk])
    })
    this.socket.on("error", () => {})
    this.socket.on("close", () => {
      this.isClosed = true
    })
  }

  write(...parts: ReadonlyArray<string | Uint8Array>): void {
    for (const part of parts) this.socket.write(part)
  }
}

export const upgradeRequest = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

/** A raw connection to the gateway, until the scope closes. */
export const bareWire = Effect.gen(function* () {
  const port = yield* gatewayPort
  return yield* Effect.acquireRelease(
    Effect.sync(() => new Wire(port)),
    ({ socket }) => Effect.sync(() => socket.destroy()),
  )
})

/** A raw connection after the WebSocket upgrade. */
export const openWire = (key: string) =>
  Effect.gen(function* () {
    const wire = yield* bareWire
    wire.write(upgradeRequest(`/ws?key=${key}`))
    yield* eventually(
      "the upgrade",
      Effect.sync(() => wire.received.includes("\r\n\r\n")),
    )
    wire.received = wire.received.subarray(wire.received.indexOf("\r\n\r\n") + 4)
    return wire
  })
