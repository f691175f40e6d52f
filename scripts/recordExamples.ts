/**
 * Records the examples of the contract, `http/openapi/examples.json`, from a running service on the simulated venue:
 *
 *     npm start                                                 (in another terminal)
 *     node scripts/recordExamples.ts http://localhost:8080 $KEY
 *
 * With `WEBHOOKS_ALLOW_INSECURE=true`, `SIM_SCALE=brief` is enough. A test says which operations lack an example.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import type { Example, Examples } from "../http/openapi/withExamples.ts"
import { changes, deliveries, type Step } from "./examples/changes.ts"
import { type Operation, operationsOf, requestsOf } from "./examples/requests.ts"
import { short, typed, withoutSecrets } from "./examples/shown.ts"
import { ask, type Choices, choicesIn, rowsIn, type Service } from "./examples/world.ts"

const [address = "http://localhost:8080", key = ""] = process.argv.slice(2)
const service: Service = { address, key }
const file = new URL("../http/openapi/examples.json", import.meta.url)

const operations = await operationsOf(service)

/** The parameters of a request by the names in the contract. */
const parametersOf = ({ path, parameters = [] }: Operation, request: string): Record<string, unknown> => {
  const [route = "", query = ""] = request.split("?")
  const given = new URLSearchParams(query)
  const parts = route.split("/")
  const inPath = new Map(
    path
      .split("/")
      .flatMap((part, index) =>
        part.startsWith("{") ? [[part.slice(1, -1), parts[index] ?? ""]] : [],
      ) as ReadonlyArray<[string, string]>,
  )
  return Object.fromEntries(
    parameters.flatMap(({ name, in: location, schema }) => {
      const text = location === "path" ? decodeURIComponent(inPath.get(name) ?? "") : given.get(name)
      return text === null || text === undefined || text === "" ? [] : [[name, typed(text, schema.type)]]
    }),
  )
}

/** The first request that shows rows, else the last one that worked. */
const record = async (operation: Operation, all: ReadonlyArray<Choices>): Promise<Example | string> => {
  const requests = requestsOf(operation, all, 2)
  let found: Example | undefined
  let refused = ""
  for (const request of [...requests, ...requests.slice(0, 1)]) {
    const { status, body } = await ask(service, "GET", request)
    if (status === 429) await setTimeout(2_000)
    if (status !== 200) {
      refused = `${status} ${request} ${JSON.stringify(body).slice(0, 200)}`
      continue
    }
    found = { parameters: parametersOf(operation, request), status: "200", answer: withoutSecrets(short(body)) }
    if (rowsIn(body).length > 0) break
  }
  return found ?? refused
}

const before: Examples = JSON.parse(readFileSync(file, "utf8"))
const recorded: Record<string, Example> = { ...before.operations }
const choices = await choicesIn(service)
const byId = new Map(operations.map((operation) => [operation.operationId, operation]))

/** What was recorded while there was something to show. */
const performed = new Set<string>()

const perform = async ({ operation: id, path, body, status }: Step): Promise<unknown> => {
  const operation = byId.get(id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  const answer = await ask(service, operation.method, path, body)
  if (answer.status !== status) throw new Error(`${id}: ${answer.status} ${JSON.stringify(answer.body)}`)
  performed.add(id)
  recorded[id] = {
    parameters: parametersOf(operation, path),
    ...(body === undefined ? {} : { body: withoutSecrets(body) }),
    status: String(status),
    answer: withoutSecrets(short(answer.body)),
  }
  return answer.body
}

await changes(perform, choices)
for (const operation of operations.filter(({ method }) => method === "GET")) {
  if (performed.has(operation.operationId)) continue
  const example = await record(operation, choices)
  if (typeof example === "string") process.stderr.write(`${operation.operationId}: ${example}\n`)
  else recorded[operation.operationId] = example
}
const webhooks = { ...before.webhooks, ...withoutSecrets(await deliveries(service, choices)) }
const sorted = Object.fromEntries(
  operations.flatMap(({ operationId: id }) => (recorded[id] ? [[id, recorded[id]]] : [])),
)
writeFileSync(file, `${JSON.stringify({ operations: sorted, webhooks }, undefined, 2)}\n`)
process.stdout.write(
  `${Object.keys(sorted).length} of ${operations.length} operations, ${Object.keys(webhooks).length} event types\n`,
)
