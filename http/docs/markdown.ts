import { contractAt, type Described, operationsOf, type Parameter } from "./contract.ts"
import { guides } from "./guides.ts"

/** https://llmstxt.org: what there is to read, for agents. */
export const llmsText = (address: string): string => {
  const { tags } = contractAt(address)
  return `# Presage

> Prediction-market data over REST, WebSocket streams and signed webhooks: trades, positions, P&L, leaderboards, markets,
> order books, oracle prices and sports.

Send an API key in the header \`x-api-key\`; \`POST ${address}/v1/keys\` creates a free one. Errors are JSON with \`error\`, often
with \`hint\`, which says what to do.

## Everything

- [All documentation in one file](${address}/docs.md): the guides below and every operation
- [OpenAPI 3.1](${address}/openapi.json): the contract of the REST API and of webhooks, with examples
- [AsyncAPI 3.0](${address}/asyncapi.json): every message of the streams, with examples

## Guides

${guides()
  .map(({ name, title, about }) => `- [${title}](${address}/docs/${name}.md): ${about}`)
  .join("\n")}

## Operations

${tags.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}
`
}

const parameterLine = ({ name, in: location, required, description = "", schema }: Parameter) =>
  `- \`${name}\` (${location}, ${schema.enum?.join(" | ") ?? schema.type ?? "string"}${required ? ", required" : ""}): ${description}`

/** The path with the values of the example. */
const exampleRequest = ({ path, parameters = [] }: Described): string => {
  const values = new Map(parameters.map(({ name, example }) => [name, example]))
  const route = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
  const query = new URLSearchParams(
    parameters
      .filter(({ in: location, example }) => location === "query" && example !== undefined)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  ).toString()
  return query === "" ? route : `${route}?${query}`
}

const curlOf = (operation: Described, address: string): string => {
  const body = operation.requestBody?.content?.["application/json"]?.example
  const method = operation.method === "GET" ? "" : ` -X ${operation.method}`
  const data = body === undefined ? "" : ` -H "content-type: application/json" -d '${JSON.stringify(body)}'`
  return `curl${method} -H "x-api-key: $KEY"${data} "${address}${exampleRequest(operation)}"`
}

/** The example of the generated document is written for shells that know an instance. */
const withoutShell = (text: string) => text.replaceAll(/\n*```sh\n[\s\S]*?\n```/g, "")

const operationText = (operation: Described, address: string): string => {
  const { method, path, summary, description = "", parameters = [], responses } = operation
  const [status = "200", answer] = Object.entries(responses).find(([each]) => each.startsWith("2")) ?? []
  const schema = answer?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1)
  return [
    `### ${method} ${path}`,
    `${summary}. ${withoutShell(description)}`,
    parameters.map(parameterLine).join("\n"),
    `\`\`\`sh\n${curlOf(operation, address)}\n\`\`\``,
    schema === undefined ? "" : `Answer ${status}: \`${schema}\` in /openapi.json.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** Every guide and every operation as one Markdown document. */
export const wholeDocs = (address: string): string => {
  const contract = contractAt(address)
  const reference = contract.tags.map(({ name, description }) => {
    const own = operationsOf(contract).filter(({ tags }) => tags[0] === name)
    return [`## ${name}`, description, ...own.map((each) => operationText(each, address))].join("\n\n")
  })
  const deliveries = Object.entries(contract.webhooks).map(([name, { post }]) => `- \`${name}\`: ${post.summary}`)
  return [
    ...guides().map(({ text }) => text.trim()),
    `# Reference\n\nEvery operation of the REST API at ${address}. The schemas are in /openapi.json.`,
    ...reference,
    `## Deliveries to webhooks\n\n${deliveries.join("\n")}`,
  ].join("\n\n")
}
