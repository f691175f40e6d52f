import { readFileSync } from "node:fs"
import { mapOperations, type Paths } from "./transforms.ts"

type Json = Readonly<Record<string, unknown>>

/** One request to the simulated venue's service and its answer. */
export interface Example {
  readonly parameters: Json
  readonly body?: unknown
  readonly status: string
  readonly answer: unknown
}

/** Recorded by `scripts/recordExamples.ts`. */
export interface Examples {
  /** By operation id. */
  readonly operations: Readonly<Record<string, Example>>
  /** Deliveries by event type. */
  readonly webhooks: Json
}

const file = new URL("./examples.json", import.meta.url)

interface Content {
  readonly content?: Readonly<Record<string, Json>>
}

interface Operation {
  readonly operationId?: string
  readonly parameters?: ReadonlyArray<{ readonly name: string }>
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

const inContent = <A extends Content>(part: A, example: unknown): A => {
  const json = part.content?.["application/json"]
  return json === undefined ? part : { ...part, content: { ...part.content, "application/json": { ...json, example } } }
}

const withExample = ({ parameters, requestBody, responses = {}, ...operation }: Operation, example: Example) => ({
  ...operation,
  parameters: parameters?.map((parameter) =>
    parameter.name in example.parameters ? { ...parameter, example: example.parameters[parameter.name] } : parameter,
  ),
  ...(requestBody && { requestBody: example.body === undefined ? requestBody : inContent(requestBody, example.body) }),
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      status === example.status ? inContent(response, example.answer) : response,
    ]),
  ),
})

interface Document {
  readonly paths?: Paths<Operation>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
}

/** Shows a recorded request and answer with every operation, and a recorded delivery with every event type. */
export const withExamples = ({ paths = {}, webhooks = {}, ...document }: Document): Json => {
  const recorded: Examples = JSON.parse(readFileSync(file, "utf8"))
  return {
    ...document,
    paths: mapOperations(paths, (operation) => {
      const example = recorded.operations[operation.operationId ?? ""]
      return example === undefined ? operation : withExample(operation, example)
    }),
    webhooks: Object.fromEntries(
      Object.entries(webhooks).map(([name, { post }]) => [
        name,
        { post: { ...post, requestBody: inContent(post.requestBody ?? {}, recorded.webhooks[name]) } },
      ]),
    ),
  }
}
