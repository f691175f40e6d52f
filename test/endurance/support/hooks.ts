import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Choices } from "../../../scripts/examples/world.ts"
import type { Account } from "./accounts.ts"

export interface Deliveries {
  received: number
}

/** Of an account, so many webhooks receive every trade; the others follow a wallet. */
const firehoses = 2
const [failsEvery, isSlowEvery, slowMillis] = [50, 100, 2_000]
const walletTypes = ["trade", "position_status_change", "redemption", "split", "merge", "wallet_activity"]

/** An endpoint that fails at times and is slow at times. */
const listen = async (deliveries: Deliveries) => {
  const server = createServer((incoming, response) => {
    const turn = ++deliveries.received
    response.statusCode = turn % failsEvery === 0 ? 503 : 200
    incoming.resume().on("end", () => setTimeout(() => response.end(), turn % isSlowEvery === 0 ? slowMillis : 0))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/endurance`
}

/** Creates as many webhooks as the accounts may have, all with one endpoint. */
export const createHooks = async (
  address: string,
  accounts: ReadonlyArray<Account>,
  choices: ReadonlyArray<Choices>,
  deliveries: Deliveries,
) => {
  const url = await listen(deliveries)
  for (const { key, webhooks } of accounts)
    for (let index = 0; index < webhooks; index++) {
      const body =
        index < firehoses
          ? { url, event_types: ["trade"] }
          : {
              url,
              event_types: [walletTypes[index % walletTypes.length]],
              filters: { wallet_addresses: [choices[index % choices.length]?.["WALLET"]] },
            }
      const answer = await fetch(`${address}/v3/webhooks`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`no webhook for ${JSON.stringify(body)}: ${await answer.text()}`)
      await answer.body?.cancel()
    }
}
