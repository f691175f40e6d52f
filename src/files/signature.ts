import { createHash, createHmac } from "node:crypto"

/** What signs a request to an S3-compatible store. */
export interface SigningKey {
  readonly id: string
  readonly secret: string
  /** Of temporary credentials. */
  readonly token: string | undefined
  readonly region: string
}

const algorithm = "AWS4-HMAC-SHA256"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

/** The headers of a GET request without a body, signed with AWS Signature Version 4. */
export const signed = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  key: SigningKey,
  now: Date,
): Readonly<Record<string, string>> => {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "")
  const day = time.slice(0, 8)
  const sent: Record<string, string> = { ...headers, "x-amz-content-sha256": sha256(""), "x-amz-date": time }
  if (key.token !== undefined) sent["x-amz-security-token"] = key.token
  const all = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = all.map(([name]) => name).join(";")
  const lines = all.map(([name, value]) => `${name}:${value}\n`).join("")
  const request = ["GET", url.pathname, "", lines, names, sha256("")].join("\n")
  const scope = `${day}/${key.region}/s3/aws4_request`
  const signingKey = ["s3", "aws4_request"].reduce(
    (from: Buffer, part) => hmac(from, part),
    hmac(hmac(`AWS4${key.secret}`, day), key.region),
  )
  const signature = hmac(signingKey, [algorithm, time, scope, sha256(request)].join("\n")).toString("hex")
  const authorization = `${algorithm} Credential=${key.id}/${scope},SignedHeaders=${names},Signature=${signature}`
  return { ...sent, authorization }
}
