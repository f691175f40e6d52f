// A proxy to a port that simulates a bad network.
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { Manner } from "./faultProxy.ts"
import { whenAsked } from "./onRequest.ts"

const target = Number(process.env["PROXY_TARGET"])
const open = new Set<Socket>()
let [manner, argument]: [Manner, number] = ["pass", 0]

const give = async (to: Socket, piece: Uint8Array) => {
  if (!to.write(piece)) await once(to, "drain")
}

const isSwallowed = (isAnswer: boolean) => manner === "black-hole" || (manner === "lose-answers" && isAnswer)

/** What is lost is never followed by something later on the same connection, which TCP would have repeated first. */
const carry = async (from: Socket, to: Socket, isAnswer: boolean) => {
  let isLost = false
  // The other direction has not ended.
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    const piece = chunk as Buffer
    isLost ||= isSwallowed(isAnswer)
    if (isLost) continue
    if (manner === "delay") await pause(argument)
    if (manner !== "trickle") {
      await give(to, piece)
      continue
    }
    for (const byte of piece) {
      await give(to, Uint8Array.of(byte))
      await pause(argument)
    }
  }
  // The end of an answer is part of it.
  if (!(isLost || isSwallowed(isAnswer))) to.end()
  else if (!isAnswer) from.destroy()
}

const server = createServer({ allowHalfOpen: true }, (near) => {
  near.on("error", () => undefined)
  if (manner === "cut") return near.resetAndDestroy()
  const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true })
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    open.add(one)
    one.on("error", () => other.destroy())
    one.on("close", () => open.delete(one))
    carry(one, other, one === far).catch(() => other.destroy())
  }
})

whenAsked(([next = "pass", number = "0"]) => {
  manner = next as Manner
  argument = Number(number)
  if (manner === "cut") for (const socket of open) socket.resetAndDestroy()
})
server.listen(0, "127.0.0.1", 1_024, () => {
  process.stdout.write(`listening ${(server.address() as AddressInfo).port}\n`)
})
