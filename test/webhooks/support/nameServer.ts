import { createSocket } from "node:dgram"
import { isIPv4 } from "node:net"
import { Effect } from "effect"

/** What a name has: addresses, and the name that it is an alias of. */
export interface Zone {
  readonly addresses: ReadonlyArray<string>
  readonly alias?: string
}

const types = { a: 1, cname: 5, aaaa: 28 }

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0]),
  ])

const readName = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Only hexadecimal groups. */
const bytes6 = (address: string) => {
  const [left = "", right = ""] = address.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const [before, after] = [groups(left), groups(right)]
  const zeros = Array<string>(8 - before.length - after.length).fill("0")
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex")
}

const bytesOf = (address: string) => (isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : bytes6(address))

const record = (name: string, type: number, data: Buffer) => {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(name), fixed, data])
}

const nameError = 3

const reply = (query: Buffer, zone: Zone | undefined) => {
  const { name, type, end } = readName(query)
  const owner = zone?.alias ?? name
  const asked = (zone?.addresses ?? []).filter((address) => type === (isIPv4(address) ? types.a : types.aaaa))
  const answers = [
    ...(zone?.alias === undefined ? [] : [record(name, types.cname, nameBytes(zone.alias))]),
    ...asked.map((address) => record(owner, type, bytesOf(address))),
  ]
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8580 | (zone === undefined ? nameError : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  return Buffer.concat([head, query.subarray(12, end), ...answers])
}

/** A DNS server on this machine, until the scope closes. `lookUp` is asked once per query, so once per address family. */
export const nameServer = (lookUp: (name: string) => Zone | undefined) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      const queries: Array<string> = []
      socket.on("message", (query, { address, port }) => {
        const { name } = readName(query)
        queries.push(name)
        socket.send(reply(query, lookUp(name)), port, address)
      })
      await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
      return { socket, queries, address: `127.0.0.1:${socket.address().port}` }
    }),
    ({ socket }) => Effect.promise(() => new Promise<void>((resolve) => socket.close(() => resolve()))),
  )
