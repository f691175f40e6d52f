import { key } from "../shared/key.ts"
import { pathOf, type SampleRequest } from "./samples.ts"

/** Longer answers are cut: laying out megabytes of text freezes the tab. */
export const mostShown = 100_000

export interface Attempt {
  readonly status: number
  readonly millis: number
  readonly size: number
  readonly text: string
  readonly isCut: boolean
  readonly contentType: string
  readonly blob: Blob
  readonly error: string | undefined
  readonly hint: string | undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const textField = (value: unknown, name: string): string | undefined => {
  const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === "string" ? found : undefined
}

/** Sends the request with the key of this tab. Only the beginning of a large answer becomes text. */
export const attempt = async (request: SampleRequest): Promise<Attempt> => {
  const started = performance.now()
  const response = await fetch(pathOf(request), {
    method: request.method,
    headers: {
      ...(key.value === "" ? {} : { "x-api-key": key.value }),
      ...Object.fromEntries(request.headers),
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(request.body === undefined ? {} : { body: request.body }),
    credentials: "omit",
    cache: "no-store",
  })
  const blob = await response.blob()
  const isCut = blob.size > mostShown
  const text = await blob.slice(0, mostShown).text()
  const json = isCut ? undefined : parsed(text)
  return {
    status: response.status,
    millis: performance.now() - started,
    size: blob.size,
    text: json === undefined ? text : JSON.stringify(json, undefined, 2),
    isCut,
    contentType: response.headers.get("content-type") ?? "",
    blob,
    error: response.ok ? undefined : (textField(json, "error") ?? `Status ${response.status}`),
    hint: textField(json, "hint"),
  }
}
