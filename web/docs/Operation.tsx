import { useEffect, useMemo, useState } from "preact/hooks"
import { Notice, Show } from "../shared/ui/States.tsx"
import { Code } from "./Code.tsx"
import { type Contract, jsonOf, type Located, operationIn, withoutShell } from "./contract.ts"
import { partPath, useDocument } from "./documents.ts"
import { Markdown } from "./Markdown.tsx"
import { Parameters, type Values } from "./Parameters.tsx"
import { Samples } from "./Samples.tsx"
import { SchemaTree } from "./SchemaTree.tsx"
import type { SampleRequest } from "./samples.ts"
import { TryIt } from "./TryIt.tsx"

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2)

/** The values of the example; parameters that the example leaves out are empty. */
const exampleValues = ({ operation: { parameters = [] } }: Located): Values =>
  Object.fromEntries(parameters.map(({ name, example }) => [name, example === undefined ? "" : String(example)]))

const requestOf = ({ method, path, operation }: Located, values: Values, body: string | undefined): SampleRequest => {
  const given = (place: string) =>
    (operation.parameters ?? [])
      .filter(({ in: location, name }) => location === place && values[name] !== undefined && values[name] !== "")
      .map(({ name }): readonly [string, string] => [name, values[name] ?? ""])
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name] ?? ""
      return value === "" ? whole : encodeURIComponent(value)
    }),
    query: given("query"),
    headers: given("header"),
    body,
  }
}

const Answers = ({ located, contract }: { readonly located: Located; readonly contract: Contract }) => {
  const [status = "200", answer] =
    Object.entries(located.operation.responses).find(([each]) => each.startsWith("2")) ?? []
  const media = jsonOf(answer)
  const errors = Object.keys(located.operation.responses).filter((each) => !each.startsWith("2"))
  return (
    <>
      <h2>Answer {status}</h2>
      {media?.example !== undefined && (
        <details open>
          <summary>Example</summary>
          <Code class="docs-answer" text={pretty(media.example)} />
        </details>
      )}
      {media !== undefined && <SchemaTree schema={media.schema} schemas={contract.components.schemas} />}
      <p class="small muted">
        Other statuses: {errors.join(", ")}. Their bodies have <code>error</code> and often <code>hint</code>.
      </p>
    </>
  )
}

const Shown = ({ located, contract }: { readonly located: Located; readonly contract: Contract }) => {
  const { method, path, operation } = located
  const media = jsonOf(operation.requestBody)
  const [values, setValues] = useState<Values>(() => exampleValues(located))
  const [body, setBody] = useState(() => (media === undefined ? undefined : pretty(media.example ?? {})))
  const request = useMemo(() => requestOf(located, values, body), [values, body])
  const parameters = operation.parameters ?? []
  return (
    <article class="docs-operation">
      <h1>{operation.summary}</h1>
      <p>
        <span class="tag">{method}</span> <code class="docs-path">{path}</code>
      </p>
      <Markdown text={withoutShell(operation.description ?? "")} />
      {parameters.length > 0 && <h2>Parameters</h2>}
      <Parameters
        parameters={parameters}
        values={values}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
      {media !== undefined && body !== undefined && (
        <>
          <h2>Body</h2>
          <label for="body">JSON</label>
          <textarea
            id="body"
            rows={Math.min(16, body.split("\n").length + 1)}
            spellcheck={false}
            class="docs-body"
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
          <details>
            <summary>Fields</summary>
            <SchemaTree schema={media.schema} schemas={contract.components.schemas} />
          </details>
        </>
      )}
      <h2>Request</h2>
      <Samples request={request} />
      <TryIt request={request} name={operation.operationId} />
      <Answers located={located} contract={contract} />
    </article>
  )
}

/** One operation of the REST API. */
export const OperationPage = ({ id }: { readonly id: string }) => {
  const loaded = useDocument<Contract>(partPath("operations", id))
  const { data: contract } = loaded
  const located = contract && operationIn(contract, id)
  useEffect(() => {
    if (located !== undefined) document.title = `Presage · ${located.operation.summary}`
  }, [located])
  if (loaded.failure?.status === 404)
    return (
      <Notice kind="error">
        <p>There is no operation "{id}". Search for another one.</p>
      </Notice>
    )
  return <Show loaded={loaded}>{(part) => located && <Shown key={id} located={located} contract={part} />}</Show>
}
