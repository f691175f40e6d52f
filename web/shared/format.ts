const fixed = (digits: number) =>
  new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
const [one, two, upToOne, wholeNumber] = [
  fixed(1),
  fixed(2),
  new Intl.NumberFormat("en", { maximumFractionDigits: 1 }),
  new Intl.NumberFormat("en", { maximumFractionDigits: 0 }),
]
const compactNumber = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const compactFixed = new Intl.NumberFormat("en", {
  notation: "compact",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

/** Shown where a value is unknown. */
export const unknown = "–"

type Maybe = number | string | null | undefined
const toNumber = (value: Maybe): number | undefined => {
  if (value === null || value === undefined || value === "") return undefined
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : undefined
}
const shown = (value: Maybe, format: (value: number) => string): string => {
  const parsed = toNumber(value)
  return parsed === undefined ? unknown : format(parsed)
}

/** "$1,234.50" */
export const usd = (value: Maybe): string => shown(value, (n) => `${n < 0 ? "−" : ""}$${two.format(Math.abs(n))}`)

/** "$1.2M", "$9.0K", "$425", "$1.50" */
export const compactUsd = (value: Maybe): string =>
  shown(value, (n) => {
    const size = Math.abs(n)
    const format = size >= 1000 ? compactFixed : size >= 10 || size === 0 ? wholeNumber : two
    return `${n < 0 ? "−" : ""}$${format.format(size)}`
  })

/** A price of a share: 0.425 → "42.5¢", with one decimal, so that columns align. */
export const cents = (value: Maybe): string => shown(value, (n) => `${one.format(n * 100)}¢`)

/** 0.1234 → "12.3 %", with one decimal, so that columns align. */
export const percent = (value: Maybe): string => shown(value, (n) => `${one.format(n * 100)} %`)

export const whole = (value: Maybe): string => shown(value, (n) => wholeNumber.format(n))
export const compact = (value: Maybe): string => shown(value, (n) => compactNumber.format(n))
export const decimal = (value: Maybe, digits = 2): string => shown(value, (n) => fixed(digits).format(n))

/** "0.4/s", "7,500/s" */
export const perSecond = (value: Maybe): string =>
  shown(value, (n) => `${(n < 100 ? upToOne : wholeNumber).format(n)}/s`)

/** "12.3 MB" */
export const bytes = (value: Maybe): string =>
  shown(value, (n) => {
    const units = ["B", "kB", "MB", "GB", "TB"]
    const power = Math.min(units.length - 1, n < 1 ? 0 : Math.floor(Math.log10(n) / 3))
    return `${upToOne.format(n / 1000 ** power)} ${units[power]}`
  })

/** "0.4 s", "12 s", "3 min", "2 h", "4 d". */
export const duration = (millis: Maybe): string =>
  shown(millis, (n) => {
    const seconds = Math.max(0, n) / 1000
    if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
    if (seconds < 10) return `${seconds.toFixed(1)} s`
    if (seconds < 120) return `${Math.round(seconds)} s`
    if (seconds < 7200) return `${Math.round(seconds / 60)} min`
    if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
    return `${Math.round(seconds / 86_400)} d`
  })

/** "0x1234…abcd" */
export const shortHash = (value: string): string =>
  value.length <= 13 ? value : `${value.slice(0, 6)}…${value.slice(-4)}`

/** The class of a gain or a loss. */
export const signClass = (value: Maybe): string => {
  const parsed = toNumber(value) ?? 0
  return parsed > 0 ? "up" : parsed < 0 ? "down" : ""
}
