const hidden = "<redacted>"

const secrets: ReadonlyArray<readonly [RegExp, string]> = [
  [/([a-z0-9]{2,16}(?:_|%5f)live(?:_|%5f))[a-z0-9]{6,}/gi, `$1${hidden}`],
  [/\b(whsec_)[A-Za-z0-9+/=_-]{6,}/g, `$1${hidden}`],
  [/((?:[?&;]|%3f|%26)key(?:=|%3d))[^&\s"'\\]+/gi, `$1${hidden}`],
  [/(\w:\/\/[^\s:/@"]*:)[^\s@/"]+(?=@)/g, `$1${hidden}`],
  [/(\bbearer\s+)[A-Za-z0-9._~+/-]{6,}=*/gi, `$1${hidden}`],
  [/(x-api-key"?\s*[:=]\s*"?)[^"\s,}\\]+/gi, `$1${hidden}`],
]

/** Removes secrets from text. Every log line, span and metric passes through here. */
export const redact = (text: string): string =>
  secrets.reduce((clean, [pattern, mask]) => clean.replace(pattern, mask), text)
