import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { expose } from "./expose.ts"
import { FrameReader, maskedText } from "./frames.ts"
import type { ClientGroup, Committed, Received, SocketsSubject } from "./streams.ts"

/** Comparable across processes on one machine. */
const now = () => performance.timeOrigin + performance.now()

interface Receiver {
  readonly socket: Socket
  last: number
}

/** Preallocated, so that nothing is allocated during a measurement. */
const maxArrivals = 4_000_000

let receivers: Array<Receiver> = []
let deliveries = 0
let errors = 0
let firstAt = 0
let lastAt = 0
let sample = ""
let arrivals = 0
const arrivedSeq = new Float64Array(maxArrivals)
const arrivedAt = new Float64Array(maxArrivals)

const retryDelay = (head: string): number | undefined => {
  if (head.startsWith("HTTP/1.1 101")) return undefined
  const wait = /"retry_after_ms":(\d+)/.exec(head)?.[1]
  return Number(wait ?? 1000)
}

const openOne = (group: ClientGroup, message: string | undefined): Promise<Receiver> =>
  new Promise((resolve, reject) => {
    const socket = connect(group.port, "127.0.0.1")
    const receiver: Receiver = { socket, last: 0 }
    const reader = new FrameReader()
    let head = ""
    let isOpen = false
    let isReady = false
    const ready = () => {
      isReady = true
      resolve(receiver)
    }
    const onFrame = (seq: number, frame: Buffer) => {
      if (seq < 0) {
        if (!isReady && group.until !== undefined && frame.includes(group.until)) ready()
        return
      }
      if (sample === "") sample = frame.toString()
      if (deliveries === 0) firstAt = performance.now()
      deliveries++
      if (seq <= receiver.last) errors++
      receiver.last = seq
      if (arrivals < maxArrivals) {
        arrivedSeq[arrivals] = seq
        arrivedAt[arrivals++] = now()
      }
    }
    socket.setNoDelay(true)
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      let rest = chunk
      if (!isOpen) {
        head += chunk.toString("latin1")
        const end = head.indexOf("\r\n\r\n")
        if (end < 0) return
        const wait = retryDelay(head)
        if (wait !== undefined) {
          socket.destroy()
          setTimeout(() => void openOne(group, message).then(resolve, reject), wait)
          return
        }
        isOpen = true
        if (message !== undefined) socket.write(maskedText(message))
        if (group.until === undefined) ready()
        rest = Buffer.from(head.slice(end + 4), "latin1")
      }
      reader.read(rest, onFrame)
      lastAt = performance.now()
    })
    const key = randomBytes(16).toString("base64")
    socket.write(
      `GET ${group.path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
  })

const reset = () => {
  deliveries = 0
  errors = 0
  arrivals = 0
}

const received = async (expected: number, withinMillis: number): Promise<Received> => {
  const deadline = performance.now() + withinMillis
  while (deliveries < expected && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  return { deliveries, millis: lastAt - firstAt, errors }
}

const lateness = (committed: ReadonlyArray<Committed>): ReadonlyArray<number> => {
  const committedAt = new Map(committed.map(({ seq, at }) => [seq, at]))
  const late: Array<number> = []
  for (let index = 0; index < arrivals; index++) {
    const at = committedAt.get(arrivedSeq[index] ?? -1)
    if (at !== undefined) late.push((arrivedAt[index] ?? 0) - at)
  }
  return late
}

expose<SocketsSubject>({
  open: async (group) => {
    const since = performance.now()
    const opened = await Promise.all(
      Array.from({ length: group.count }, (_, i) => openOne(group, group.messages[i % group.messages.length])),
    )
    receivers = receivers.concat(opened)
    return performance.now() - since
  },
  reset: async () => reset(),
  received,
  pause: async (count) => {
    for (const { socket } of receivers.slice(0, count)) socket.pause()
  },
  resume: async () => {
    for (const { socket } of receivers) socket.resume()
  },
  lateness: async (committed) => lateness(committed),
  sample: async () => sample,
  close: async () => {
    for (const { socket } of receivers) socket.destroy()
    receivers = []
  },
})
