/** A request as the form describes it. */
export interface SampleRequest {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string | undefined
}

export const pathOf = ({ path, query }: SampleRequest): string => {
  const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  return text === "" ? path : `${path}?${text}`
}

const shellText = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const curl = (request: SampleRequest, origin: string): string => {
  const { method, headers, body } = request
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellText(`${origin}${pathOf(request)}`)}`,
    `-H "x-api-key: $PRESAGE_KEY"`,
    ...headers.map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H "content-type: application/json"`, `-d ${shellText(body)}`]),
  ].join(" \\\n  ")
}

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`)

const typescript = (request: SampleRequest, origin: string): string => {
  const { method, headers, body } = request
  const sent = [
    `    "x-api-key": process.env.PRESAGE_KEY ?? "",`,
    ...headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(body === undefined ? [] : [`    "content-type": "application/json",`]),
  ]
  return [
    `const response = await fetch(${JSON.stringify(`${origin}${pathOf(request)}`)}, {`,
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    "  headers: {",
    ...sent,
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, "  ")}),`]),
    "})",
    "if (!response.ok) throw new Error(await response.text())",
    "console.log(await response.json())",
  ].join("\n")
}

/** JSON differs from Python in three words. */
const pythonValue = (json: string) =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (word) =>
    word === "true" ? "True" : word === "false" ? "False" : word === "null" ? "None" : word,
  )

const python = ({ method, path, query, headers, body }: SampleRequest, origin: string): string =>
  [
    "import os",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(`${origin}${path}`)},`,
    ...(query.length === 0
      ? []
      : [
          "    params={",
          ...query.map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
          "    },",
        ]),
    "    headers={",
    `        "x-api-key": os.environ["PRESAGE_KEY"],`,
    ...headers.map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    "    },",
    ...(body === undefined ? [] : [`    json=${indented(pythonValue(body), "    ")},`]),
    "    timeout=30,",
    ")",
    "response.raise_for_status()",
    "print(response.json())",
  ].join("\n")

export const languages = { curl, TypeScript: typescript, Python: python } as const
export type Language = keyof typeof languages
