// Many subscribers in a process of their own, which leave and come back all at once.
import { whenAsked } from "#test/webhooks/support/onRequest.ts"
import { EventCopy } from "#test/ws/support/eventCopy.ts"
import { ResumingClient } from "#test/ws/support/resumingClient.ts"

const address = process.env["CROWD_ADDRESS"] ?? ""
const size = Number(process.env["CROWD_SIZE"])

const copies = Array.from({ length: size }, () => new EventCopy([{ type: "blocks" }]))
const clients = copies.map((copy, index) => new ResumingClient(`subscriber ${index}`, [address], copy, true))

whenAsked(([word]) => {
  if (word === "come") for (const each of clients) each.start()
  if (word === "leave") for (const each of clients) each.stop()
})

const count = (is: (copy: EventCopy) => boolean) => copies.filter(is).length

setInterval(() => {
  const state = {
    // A copy without a connection awaits nothing before it has one.
    caughtUp: count((copy) => copy.from !== undefined && copy.isCaughtUp()),
    recovered: copies.reduce((sum, { recovered }) => sum + recovered.yes, 0),
    faults: [...new Set(copies.flatMap(({ faults }) => faults))].slice(0, 5),
    refused: clients.reduce((sum, { refusals }) => sum + refusals.length, 0),
  }
  process.stdout.write(`${JSON.stringify(state)}\n`)
}, 250)
