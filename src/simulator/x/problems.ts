import type { WireResponse } from "../wire.ts"

type Parameters = Readonly<Record<string, ReadonlyArray<string>>>

const problemJson = (status: number, body: object): WireResponse => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify(body),
})

/** An error response in the real service's format. */
export class Problem extends Error {
  readonly response: WireResponse

  constructor(response: WireResponse) {
    super(response.body)
    this.response = response
  }
}

const plain = (status: number, title: string) =>
  new Problem(problemJson(status, { title, detail: title, type: "about:blank", status }))

export const unauthorized = () => plain(401, "Unauthorized")
export const notFound = () => plain(404, "Not Found")
export const notAllowed = () => plain(405, "Method Not Allowed")
export const tooMany = () => plain(429, "Too Many Requests")

export const invalid = (parameters: Parameters, message: string) =>
  new Problem(
    problemJson(400, {
      errors: [{ parameters, message }],
      title: "Invalid Request",
      detail: "One or more parameters to your request was invalid.",
      type: "https://api.twitter.com/2/problems/invalid-request",
    }),
  )

export const invalidValue = (name: string, value: string, why: string) =>
  invalid({ [name]: [value] }, `The \`${name}\` query parameter value [${value}] ${why}`)

/** An unknown user is reported with status 200. */
export const unknownUser = (parameter: "id" | "username", value: string) => ({
  errors: [
    {
      value,
      detail: `Could not find user with ${parameter}: [${value}].`,
      title: "Not Found Error",
      resource_type: "user",
      parameter,
      resource_id: value,
      type: "https://api.twitter.com/2/problems/resource-not-found",
    },
  ],
})
