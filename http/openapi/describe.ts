import * as OpenApi from "effect/unstable/httpapi/OpenApi"

/** The summary of an endpoint and its description, which ends with an example of a GET request. */
export const describe = (summary: string, path: string, ...paragraphs: ReadonlyArray<string>) =>
  OpenApi.annotations({
    summary,
    description: [...paragraphs, `\`\`\`sh\ncurl -H "x-api-key: $KEY" "$URL${path}"\n\`\`\``].join("\n\n"),
  })
