import type { WebSocket } from "ws"
import type { FrameLine } from "../model.ts"
import { Feed } from "./Feed.ts"
import type { RecordedBlock } from "./RecordedChain.ts"

const notification = (result: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription: "0x1", result } })

/** JSON-RPC of the node over WebSocket: new blocks and pending transactions. */
export class NodeSocket {
  readonly #answer: (request: unknown) => Promise<unknown>
  readonly #pending: Feed
  readonly #followers = new Set<WebSocket>()

  constructor(answer: (request: unknown) => Promise<unknown>, pending: ReadonlyArray<FrameLine>) {
    this.#answer = answer
    this.#pending = new Feed(pending)
  }

  async received(client: WebSocket, request: Readonly<Record<string, unknown>>): Promise<void> {
    const { id = null, method, params } = request
    const reply = (answer: Readonly<Record<string, unknown>>) =>
      client.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    if (method !== "eth_subscribe") return client.send(JSON.stringify(await this.#answer(request)))
    const [kind, isWhole] = Array.isArray(params) ? params : []
    if (kind === "newHeads") {
      this.#followers.add(client)
      client.on("close", () => this.#followers.delete(client))
      return reply({ result: "0x1" })
    }
    if (kind === "newPendingTransactions" && isWhole === true && !this.#pending.isEmpty) {
      this.#pending.add(client)
      return reply({ result: "0x1" })
    }
    reply({ error: { code: -32_601, message: `the subscription ${String(kind)} is not recorded` } })
  }

  announce(blocks: ReadonlyArray<RecordedBlock>): void {
    for (const { raw } of blocks) for (const client of this.#followers) client.send(notification(raw))
  }

  pump(now: number): void {
    this.#pending.pump(now)
  }
}
