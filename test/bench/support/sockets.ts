import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { answerAs } from "./answerAs.ts"
import { FrameReader, maskedText } from "./frames.ts"
import type { Crowd, Received, SocketsSubject, Told } from "./streams.ts"

/** Comparable between processes of one machine. */
const now = () => performance.timeOrigin + performance.now()

interface Receiver {
  readonly socket: Socket
  last: number
}

/** As many places as events may be told in one go, so that nothing is allocated while it is measured. */
const mostArrivals = 4_000_000

let receivers: Array<Receiver> = []
let deliveries = 0
let faults = 0
let firstAt = 0
let lastAt = 0
let sample = ""
let arrivals = 0
const arrivedSeq = new Float64Array(mostArrivals)
const arrivedAt = new Float64Array(mostArrivals)

const refusedFor = (head: string): number | undefined => {
  if (head.startsWith("HTTP/1.1 101")) return undefined
  const wait = /"retry_after_ms":(\d+)/.exec(head)?.[1]
  return Number(wait ?? 1000)
}

const openOne = (crowd: Crowd, message: string | undefined): Promise<Receiver> =>
  new Promise((resolve, reject) => {
    const socket = connect(crowd.port, "127.0.0.1")
    const receiver: Receiver = { socket, last: 0 }
    const reader = new FrameReader()
    let head = ""
    let isOpen = false
    let isThere = false
    const arrived = () => {
      isThere = true
      resolve(receiver)
    }
    const onFrame = (seq: number, frame: Buffer) => {
      if (seq < 0) {
        if (!isThere && crowd.until !== undefined && frame.includes(crowd.until)) arrived()
        return
      }
      if (sample === "") sample = frame.toString()
      if (deliveries === 0) firstAt = performance.now()
      deliveries++
      if (seq <= receiver.last) faults++
      receiver.last = seq
      if (arrivals < mostArrivals) {
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
        const wait = refusedFor(head)
        if (wait !== undefined) {
          socket.destroy()
          setTimeout(() => void openOne(crowd, message).then(resolve, reject), wait)
          return
        }
        isOpen = true
        if (message !== undefined) socket.write(maskedText(message))
        if (crowd.until === undefined) arrived()
        rest = Buffer.from(head.slice(end + 4), "latin1")
      }
      reader.read(rest, onFrame)
      lastAt = performance.now()
    })
    const key = randomBytes(16).toString("base64")
    socket.write(
      `GET ${crowd.path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
  })

const begin = () => {
  deliveries = 0
  faults = 0
  arrivals = 0
}

const received = async (wanted: number, withinMillis: number): Promise<Received> => {
  const deadline = performance.now() + withinMillis
  while (deliveries < wanted && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  return { deliveries, millis: lastAt - firstAt, faults }
}

const lateness = (told: ReadonlyArray<Told>): ReadonlyArray<number> => {
  const toldAt = new Map(told.map(({ seq, at }) => [seq, at]))
  const late: Array<number> = []
  for (let place = 0; place < arrivals; place++) {
    const at = toldAt.get(arrivedSeq[place] ?? -1)
    if (at !== undefined) late.push((arrivedAt[place] ?? 0) - at)
  }
  return late
}

answerAs<SocketsSubject>({
  open: async (crowd) => {
    const since = performance.now()
    const opened = await Promise.all(
      Array.from({ length: crowd.count }, (_, i) => openOne(crowd, crowd.messages[i % crowd.messages.length])),
    )
    receivers = receivers.concat(opened)
    return performance.now() - since
  },
  begin: async () => begin(),
  received,
  stall: async (count) => {
    for (const { socket } of receivers.slice(0, count)) socket.pause()
  },
  unstall: async () => {
    for (const { socket } of receivers) socket.resume()
  },
  lateness: async (told) => lateness(told),
  sample: async () => sample,
  close: async () => {
    for (const { socket } of receivers) socket.destroy()
    receivers = []
  },
})
