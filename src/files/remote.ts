import { Effect, Option, Redacted } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { FilesRefused } from "./model.ts"
import { s3Endpoint, s3KeyId, s3Region, s3Secret, s3Token } from "./settings.ts"
import { type SigningKey, signed } from "./signature.ts"

type Headers = Readonly<Record<string, string>>

/** A directory on a web server or in a bucket. */
export interface Remote {
  readonly urlOf: (path: string) => URL
  /** Adds what proves who asks. */
  readonly authorize: (url: URL, headers: Headers, now: Date) => Headers
  /** What may be wrong if the server refuses. */
  readonly hint: string
}

/** A signature is over this form of a path, in which `=` and the like are escaped too. */
const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)

const below = (base: URL) => (path: string) => new URL(path, base)

const webServer = (from: string): Remote => ({
  urlOf: below(new URL(from.endsWith("/") ? from : `${from}/`)),
  authorize: (_, headers) => headers,
  hint: "",
})

const bucket = Effect.fnUntraced(function* (from: string) {
  const [, name, prefix = ""] = /^s3:\/\/([^/?#]+)\/?(.*)$/.exec(from) ?? []
  if (name === undefined) {
    return yield* new FilesRefused({ reason: `${from} names no bucket: write s3://bucket/prefix` })
  }
  const config = yield* Configuration
  const textOf = (setting: typeof s3KeyId) => Option.getOrUndefined(Option.map(config.get(setting), Redacted.value))
  const [id, secret, token, region] = [textOf(s3KeyId), textOf(s3Secret), textOf(s3Token), config.get(s3Region)]
  if ((id === undefined) !== (secret === undefined)) {
    return yield* new FilesRefused({ reason: `set both ${s3KeyId.env} and ${s3Secret.env}, or neither of them` })
  }
  const key: SigningKey | undefined =
    id === undefined || secret === undefined ? undefined : { id, secret, token, region }
  const endpoint = Option.getOrElse(config.get(s3Endpoint), () => `https://s3.${region}.amazonaws.com`)
  const path = [name, ...prefix.split("/")]
    .filter((each) => each !== "")
    .map(escaped)
    .join("/")
  const remote: Remote = {
    urlOf: below(new URL(`${path}/`, endpoint.endsWith("/") ? endpoint : `${endpoint}/`)),
    authorize: (url, headers, now) => (key === undefined ? headers : signed(url, headers, key, now)),
    hint:
      key === undefined
        ? `; it was asked without credentials: set ${s3KeyId.env} and ${s3Secret.env} if the bucket is not public, and ${s3Endpoint.env} if it is not at AWS`
        : `; check the bucket, ${s3KeyId.env}, ${s3Region.env} (${region}) and ${s3Endpoint.env} (${endpoint})`,
  }
  return remote
})

/** What `--from` addresses; undefined if it is a directory of this machine. */
export const remoteOf = (from: string): Effect.Effect<Remote | undefined, FilesRefused, Configuration> => {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(from) ?? []
  switch (scheme?.toLowerCase()) {
    case undefined:
      return Effect.undefined
    case "http":
    case "https":
      return URL.canParse(from)
        ? Effect.succeed(webServer(from))
        : Effect.fail(new FilesRefused({ reason: `${from} is not a valid address` }))
    case "s3":
      return bucket(from)
    default:
      return Effect.fail(
        new FilesRefused({
          reason: `${scheme}:// is not supported: give --from a directory, or an address with http://, https:// or s3://. Stores of other providers can be read with s3:// and ${s3Endpoint.env} if they speak S3 (for Google Cloud Storage, https://storage.googleapis.com)`,
        }),
      )
  }
}
