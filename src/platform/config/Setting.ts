import { isIP } from "node:net"
import { Duration, Option, Redacted, Result, Schema, SchemaTransformation } from "effect"

/** A setting. Its name gives the environment variable: `event-log.retention` is `EVENT_LOG_RETENTION`. */
export interface Setting<A> {
  readonly name: string
  readonly env: string
  readonly schema: Schema.Codec<A, string>
  /** Describes a valid value in error messages: "a whole number from 1 to 1000". */
  readonly wants: string
  readonly default: A
  readonly doc: string
  /** Whether `presage tune` may change it in running processes. */
  readonly live: boolean
  readonly secret: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: a list of settings holds values of every type
export type AnySetting = Setting<any>

interface Options<A> {
  readonly default: A
  readonly doc: string
  readonly live?: boolean
}

const make = <A>(
  name: string,
  schema: Schema.Codec<A, string>,
  wants: string,
  options: Options<A> & { readonly secret?: boolean },
): Setting<A> => ({
  name,
  env: name.toUpperCase().replaceAll(/[.-]/g, "_"),
  schema,
  wants,
  default: options.default,
  doc: options.doc,
  live: options.live ?? false,
  secret: options.secret ?? false,
})

export const int = (name: string, options: Options<number> & { readonly min: number; readonly max: number }) =>
  make(
    name,
    Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/)).pipe(
      Schema.decodeTo(
        Schema.Finite.check(Schema.isBetween({ minimum: options.min, maximum: options.max })),
        SchemaTransformation.numberFromString,
      ),
    ),
    `a whole number from ${options.min} to ${options.max}`,
    options,
  )

/** A fraction, 0 to 1. */
export const ratio = (name: string, options: Options<number>) =>
  make(
    name,
    Schema.String.check(Schema.isPattern(/^(0|1|0?\.\d{1,9}|1\.0+)$/)).pipe(
      Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString),
    ),
    "a number from 0 to 1",
    options,
  )

export const port = (name: string, options: Options<number>) => int(name, { ...options, min: 0, max: 65535 })

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The shortest exact notation: 90000 is "90s", 3600000 is "1h". */
export const showDuration = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  const unit = (["d", "h", "m", "s"] as const).find((u) => millis >= units[u] && millis % units[u] === 0) ?? "ms"
  return `${millis / units[unit]}${unit}`
}

const readDuration = (text: string) => {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  return Duration.millis(Number(count) * units[unit as keyof typeof units])
}

/** A duration as text: 500ms, 10s, 5m. */
export const DurationText = Schema.String.check(Schema.isPattern(/^\d{1,12}(ms|s|m|h|d)$/)).pipe(
  Schema.decodeTo(Schema.Duration, SchemaTransformation.transform({ decode: readDuration, encode: showDuration })),
)

export const duration = (
  name: string,
  options: Options<Duration.Input> & { readonly min: Duration.Input; readonly max: Duration.Input },
) => {
  const [min, max] = [Duration.fromInputUnsafe(options.min), Duration.fromInputUnsafe(options.max)]
  return make(
    name,
    DurationText.check(Schema.makeFilter((d) => Duration.between(d, { minimum: min, maximum: max }))),
    `a duration from ${showDuration(min)} to ${showDuration(max)}, for example 500ms, 10s, 5m, 1h or 7d`,
    { ...options, default: Duration.fromInputUnsafe(options.default) },
  )
}

const longestDelay = Duration.days(7)

/** Successive delays; the last one repeats: `1s,5s,30s`. */
export const delays = (name: string, options: Options<ReadonlyArray<Duration.Input>>) =>
  make<ReadonlyArray<Duration.Duration>>(
    name,
    Schema.String.check(Schema.isPattern(/^\d{1,12}(ms|s|m|h|d)(,\d{1,12}(ms|s|m|h|d)){0,19}$/)).pipe(
      Schema.decodeTo(
        Schema.Array(Schema.Duration.check(Schema.makeFilter((d) => Duration.isLessThanOrEqualTo(d, longestDelay)))),
        SchemaTransformation.transform({
          decode: (text): ReadonlyArray<Duration.Duration> => text.split(",").map(readDuration),
          encode: (list: ReadonlyArray<Duration.Duration>) => list.map(showDuration).join(","),
        }),
      ),
    ),
    "1 to 20 durations of at most 7d separated by commas, for example 1s,5s,30s",
    { ...options, default: options.default.map(Duration.fromInputUnsafe) },
  )

export const oneOf = <const L extends string>(name: string, values: ReadonlyArray<L>, options: Options<NoInfer<L>>) =>
  make<L>(name, Schema.Literals(values), `one of ${values.join(", ")}`, options)

/** One or more of a fixed set of words, separated by commas. */
export const someOf = <const L extends string>(
  name: string,
  values: ReadonlyArray<L>,
  options: Options<ReadonlyArray<NoInfer<L>>>,
) =>
  make<ReadonlyArray<L>>(
    name,
    Schema.String.pipe(
      Schema.decodeTo(
        Schema.Array(Schema.Literals(values)).check(Schema.isMinLength(1)),
        SchemaTransformation.transform({
          decode: (text): ReadonlyArray<L> => text.split(",").map((part) => part.trim()) as Array<L>,
          encode: (list: ReadonlyArray<L>) => list.join(","),
        }),
      ),
    ),
    `one or more of ${values.join(", ")}, separated by commas`,
    options,
  )

const isNetwork = (text: string) => {
  const [address = "", bits = "0", ...rest] = text.split("/")
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && !address.includes("%") && /^\d{1,3}$/.test(bits) && Number(bits) <= longest
}

const listOf =
  (isItem: (text: string) => boolean, wants: string) => (name: string, options: Options<ReadonlyArray<string>>) =>
    make<ReadonlyArray<string>>(
      name,
      Schema.String.pipe(
        Schema.decodeTo(
          Schema.Array(Schema.String.check(Schema.makeFilter(isItem))),
          SchemaTransformation.transform({
            decode: (text): ReadonlyArray<string> => (text === "" ? [] : text.split(",").map((part) => part.trim())),
            encode: (list: ReadonlyArray<string>) => list.join(","),
          }),
        ),
      ),
      wants,
      options,
    )

/** A possibly empty list of IP addresses and networks: `10.0.0.0/8,::1`. */
export const networks = listOf(
  isNetwork,
  "IP addresses and networks separated by commas, for example 10.0.0.0/8,192.0.2.7,fd00::/8",
)

/** A possibly empty list of host names without ports. */
export const hostNames = listOf(
  (text) => /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i.test(text),
  "host names without ports, separated by commas, for example presage.example.com,venue",
)

export const text = (name: string, options: Options<string> & { readonly wants?: string; readonly pattern?: RegExp }) =>
  make(
    name,
    Schema.String.check(Schema.isPattern(options.pattern ?? /^.{1,4096}$/)),
    options.wants ?? "1 to 4096 characters",
    options,
  )

const secret = (name: string, check: (text: string) => boolean, wants: string, doc: string) =>
  make<Option.Option<Redacted.Redacted<string>>>(
    name,
    Schema.String.check(Schema.makeFilter(check)).pipe(
      Schema.decodeTo(
        Schema.Option(Schema.Redacted(Schema.String)),
        SchemaTransformation.transform({
          decode: (s) => Option.some(Redacted.make(s)),
          encode: (o) => Option.match(o, { onNone: () => "", onSome: Redacted.value }),
        }),
      ),
    ),
    wants,
    { default: Option.none(), doc, secret: true },
  )

const isUrl = (protocols: ReadonlyArray<string>) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1))

const urlWanted = (protocols: ReadonlyArray<string>) =>
  `a URL starting with ${protocols.map((p) => `${p}://`).join(" or ")}`

/** An optional URL that may contain a password: never printed. */
export const secretUrl = (name: string, options: { readonly doc: string; readonly protocols: ReadonlyArray<string> }) =>
  secret(name, isUrl(options.protocols), urlWanted(options.protocols), options.doc)

/** One or more URLs, separated by commas, that may contain passwords: never printed. */
export const secretUrls = (
  name: string,
  options: { readonly doc: string; readonly protocols: ReadonlyArray<string> },
) =>
  secret(
    name,
    (text) => splitUrls(text).every(isUrl(options.protocols)),
    `${urlWanted(options.protocols)}, or several separated by commas`,
    options.doc,
  )

/** The URLs of such a setting. */
export const splitUrls = (text: string): ReadonlyArray<string> => text.split(",").map((url) => url.trim())

/** An optional password or key: never printed. */
export const secretText = (name: string, options: { readonly doc: string }) =>
  secret(name, (text) => /^.{1,4096}$/.test(text), "1 to 4096 characters", options.doc)

/** An optional URL without secrets. */
export const optionalUrl = (
  name: string,
  options: { readonly doc: string; readonly protocols?: ReadonlyArray<string> },
) => {
  const protocols = options.protocols ?? ["http", "https"]
  return make<Option.Option<string>>(
    name,
    Schema.String.check(Schema.makeFilter(isUrl(protocols))).pipe(
      Schema.decodeTo(
        Schema.Option(Schema.String),
        SchemaTransformation.transform({ decode: (s) => Option.some(s), encode: Option.getOrElse(() => "") }),
      ),
    ),
    urlWanted(protocols),
    { default: Option.none(), doc: options.doc },
  )
}

/** Parses a value; the failure names the given value and the valid ones. */
export const read = <A>(setting: Setting<A>, given: string): Result.Result<A, string> =>
  Result.mapError(
    Schema.decodeUnknownResult(setting.schema)(given.trim()),
    () => `${setting.secret ? "the given value" : JSON.stringify(given)} is not ${setting.wants}`,
  )

/** The value as an operator would write it; empty if unset, redacted if secret. */
export const show = <A>(setting: Setting<A>, value: A): string => {
  if (Option.isOption(value) && Option.isNone(value)) return ""
  return setting.secret ? "<redacted>" : Schema.encodeSync(setting.schema)(value)
}
