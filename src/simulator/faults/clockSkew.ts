/** Fields in which an upstream tells what time it believes it is, in one of the ways that times are written. */
const stamp =
  /"(timestamp|blockTimestamp|validFromTimestamp|observationsTimestamp|ts|t|last_update|updatedAt|updated_at|received_at)":(?:"(0x[0-9a-f]{8})"|("?)(\d{10}|\d{13})\3(?![\d.])|"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)")/g

const bareSeconds = /^\d{10}$/
const report = /"fullReport":"0x([0-9a-f]{900,})"/g

const shiftedSeconds = (seconds: number, skew: number) => Math.floor((seconds * 1000 + skew) / 1000)

const shiftedNumber = (digits: string, skew: number) =>
  digits.length === 10 ? shiftedSeconds(Number(digits), skew) : Number(digits) + skew

const wordDigits = 64
/** Words of an encoded report that hold the seconds from which and at which it was observed. */
const reportTimes = [9, 10]

const shiftedReport = (hex: string, skew: number): string =>
  reportTimes.reduce((text, place) => {
    const at = place * wordDigits
    const seconds = shiftedSeconds(Number.parseInt(text.slice(at, at + wordDigits), 16), skew)
    return text.slice(0, at) + seconds.toString(16).padStart(wordDigits, "0") + text.slice(at + wordDigits)
  }, hex)

/** The same message from a source whose clock is wrong. Worked on as text, for some messages are very long. */
export const withSkew = (body: string, skew: number): string => {
  if (bareSeconds.test(body)) return String(shiftedNumber(body, skew))
  return body
    .replace(stamp, (_, name: string, hex?: string, quote?: string, digits?: string, iso?: string) => {
      if (hex !== undefined) return `"${name}":"0x${shiftedSeconds(Number(hex), skew).toString(16)}"`
      if (iso !== undefined) return `"${name}":"${new Date(Date.parse(iso) + skew).toISOString()}"`
      return `"${name}":${quote}${shiftedNumber(digits ?? "0", skew)}${quote}`
    })
    .replace(report, (_, hex: string) => `"fullReport":"0x${shiftedReport(hex, skew)}"`)
}
