import { hash } from "../random.ts"

interface Leaf {
  readonly container: Record<string, unknown>
  readonly key: string
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const leavesOf = (container: Record<string, unknown>, found: Array<Leaf> = []): ReadonlyArray<Leaf> => {
  for (const key of Object.keys(container)) {
    const value = container[key]
    if (isContainer(value) && Object.keys(value).length > 0) leavesOf(value, found)
    else if (value !== null) found.push({ container, key })
  }
  return found
}

const wrongType = (value: unknown): unknown => {
  if (typeof value === "string") return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : null
  if (isContainer(value)) return Array.isArray(value) ? {} : []
  return String(value)
}

/** Changes the type of about every fourth value, and at least one: strings to numbers, numbers to strings, lists to objects. */
export const withWrongTypes = (body: string, roll: number): string => {
  const root: Record<string, unknown> = {}
  try {
    root["value"] = JSON.parse(body)
  } catch {
    return body
  }
  const leaves = leavesOf(root)
  const always = roll % Math.max(1, leaves.length)
  leaves.forEach(({ container, key }, i) => {
    if (i === always || hash(roll, i) % 4 === 0) container[key] = wrongType(container[key])
  })
  return JSON.stringify(root["value"])
}

/** Fields with the upstream's current time, in any of their notations. */
const timestampField =
  /"(timestamp|blockTimestamp|validFromTimestamp|observationsTimestamp|ts|t|last_update|updatedAt|updated_at|received_at)":(?:"(0x[0-9a-f]{8})"|("?)(\d{10}|\d{13})\3(?![\d.])|"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)")/g

const bareSeconds = /^\d{10}$/
const fullReport = /"fullReport":"0x([0-9a-f]{900,})"/g

const shiftedSeconds = (seconds: number, skew: number) => Math.floor((seconds * 1000 + skew) / 1000)

const shiftedNumber = (digits: string, skew: number) =>
  digits.length === 10 ? shiftedSeconds(Number(digits), skew) : Number(digits) + skew

const wordDigits = 64
/** Words of an encoded report that hold the start and end of its observation, in seconds. */
const reportTimes = [9, 10]

const shiftedReport = (hex: string, skew: number): string =>
  reportTimes.reduce((text, i) => {
    const at = i * wordDigits
    const seconds = shiftedSeconds(Number.parseInt(text.slice(at, at + wordDigits), 16), skew)
    return text.slice(0, at) + seconds.toString(16).padStart(wordDigits, "0") + text.slice(at + wordDigits)
  }, hex)

/** Shifts the timestamps of a message. Works on text because some messages are very long. */
export const withSkew = (body: string, skew: number): string => {
  if (bareSeconds.test(body)) return String(shiftedNumber(body, skew))
  return body
    .replace(timestampField, (_, name: string, hex?: string, quote?: string, digits?: string, iso?: string) => {
      if (hex !== undefined) return `"${name}":"0x${shiftedSeconds(Number(hex), skew).toString(16)}"`
      if (iso !== undefined) return `"${name}":"${new Date(Date.parse(iso) + skew).toISOString()}"`
      return `"${name}":${quote}${shiftedNumber(digits ?? "0", skew)}${quote}`
    })
    .replace(fullReport, (_, hex: string) => `"fullReport":"0x${shiftedReport(hex, skew)}"`)
}
