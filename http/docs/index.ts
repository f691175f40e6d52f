import { actions } from "#src/streams/protocol/client.ts"
import { bookMessages, controlMessages, eventMessages, priceMessages } from "#src/streams/protocol/server.ts"
import { contractAt, operationsOf } from "./contract.ts"
import { guides, headingsOf } from "./guides.ts"

const messages = { ...actions, ...controlMessages, ...eventMessages, ...priceMessages, ...bookMessages }

/** What the page needs for its navigation and search, a fraction of the contract. */
export const docsIndex = (address: string) => {
  const contract = contractAt(address)
  return {
    version: contract.info.version,
    guides: guides().map((guide) => ({
      name: guide.name,
      title: guide.title,
      about: guide.about,
      headings: headingsOf(guide).map(({ text, anchor }) => [text, anchor]),
    })),
    tags: contract.tags,
    operations: operationsOf(contract).map(({ operationId: id, method, path, summary, tags: [tag] }) => ({
      id,
      method,
      path,
      summary,
      tag,
    })),
    webhooks: Object.entries(contract.webhooks).map(([name, { post }]) => ({ name, summary: post.summary })),
    messages: Object.keys(messages),
  }
}
