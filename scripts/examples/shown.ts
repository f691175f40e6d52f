/** Rows of a list that are shown. */
const mostRows = 2

/** Cuts lists: an example shows what a row looks like. */
export const short = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, mostRows).map(short)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, short(inner)]))
}

/** The value that a text in an address stands for. */
export const typed = (text: string, type: string | undefined): unknown =>
  type === "integer" || type === "number" ? Number(text) : type === "boolean" ? text === "true" : text

const exampleUrl = "https://example.com/presage"

/** Keys, secrets and addresses of the service that was asked are of nobody's use. */
export const withoutSecrets = <A>(value: A): A =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/psg_live_[\w-]+/g, "psg_live_example")
      .replaceAll(/whsec_[\w-]+/g, "whsec_example")
      .replaceAll(/ws:\/\/(?:localhost|127\.0\.0\.1):\d+\/ws/g, "wss://example.com/ws")
      .replaceAll(/https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/[^"\s]*)?/g, exampleUrl),
  )
